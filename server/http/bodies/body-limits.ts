const KIB = 1024;

/** The largest bodies, by who reads them. */
export const BODY_BYTES_MAX = {
  /** Our largest input, a credential with 200 scopes, takes a tenth of it. */
  trpc: 256 * KIB,
  /** What people send who are not signed in: a token, a name. */
  trpcAnonymous: 16 * KIB,
  /** Forms and JSON of sign-in; the OpenID provider itself accepts 56 KiB. */
  identity: 64 * KIB,
  /** More than any delivery that is processed (take-webhook.ts). */
  webhook: 256 * KIB,
  /** A typed card. */
  sandbox: 4 * KIB,
  /** Pages and files accept none. */
  none: 0,
} as const;
