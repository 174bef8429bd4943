/**
 * Pages of the console below `/identity` that people return to after signing in; the others are part of
 * signing in itself.
 */
const IDENTITY_PAGE_PATH = /^\/identity\/(organizations\/[^/]+|invitations\/[^/]+)$/;

/**
 * Returns where a sign-in may lead: a path of our own, or `/` for anything else: other origins in any
 * disguise, and the sign-in addresses themselves, which would cause a loop.
 */
export function safeReturnPath(value: string | null, publicUrl: string): string {
  // Control characters and backslashes are refused: browsers drop the former and turn the latter into
  // slashes.
  if (value === null || value.length > 2000 || !/^\/(?![/\\])[!-[\]-~\u00a1-\uffff]*$/.test(value))
    return '/';
  const { origin } = new URL(publicUrl);
  if (!URL.canParse(value, origin)) return '/';
  const target = new URL(value, origin);
  // Dot segments can leave two leading slashes: `/..//elsewhere` is `//elsewhere`.
  if (target.origin !== origin || target.pathname.startsWith('//')) return '/';
  const isOfSigningIn = /^\/(auth|identity|login)(\/|$)/.test(target.pathname);
  if (isOfSigningIn && !IDENTITY_PAGE_PATH.test(target.pathname)) return '/';
  return `${target.pathname}${target.search}${target.hash}`;
}

/** Returns the token of the invitation to which a sign-in returns, or null when it leads elsewhere. */
export function invitationTokenOf(returnTo: string): string | null {
  return /^\/identity\/invitations\/([\w-]{1,100})(?:$|[/?#])/.exec(returnTo)?.[1] ?? null;
}
