import type { RequestContext } from '#server/context.ts';
import type { AppRouter } from '#server/routers/app-router.ts';
import type { Language } from '#server/services/identity/rules.ts';
import type { Interaction } from '#server/services/identity/schema.ts';

/** What the console's pages need to know about this installation; sent to the browser with the page. */
export interface ConsoleSettings {
  /** The name of the build that the page is of; undefined in development. */
  build?: string;
  productName: string;
  publicUrl: string;
  /** The release of the command-line tool that this installation provides at `/cli/{release}.tgz`. */
  cliRelease: string;
  /** The provider site-domain suffix `{host}` of site addresses, e.g. `sites.localhost`. */
  sitesHost: string;
  /** Where S3 clients reach the object storage, without a trailing slash. */
  s3Url: string;
  /** `signUp` is null when registration requires an invitation. */
  links: { signUp: string | null; terms: string; privacy: string; acceptableUse: string };
  /** Whether the embedded identity service signs people in (its profile page is ours). */
  isIdentityEmbedded: boolean;
  /** Whether browsers allow passkeys at this installation's address. */
  canUsePasskeys: boolean;
  /**
   * Where organizations are created and managed when that is elsewhere, without a trailing slash; null
   * otherwise.
   */
  codeHostUrl: string | null;
  /** Whether this installation sends email. */
  sendsMail: boolean;
  /** Whether certificates come from this installation's own authority, which browsers do not know. */
  isAuthorityLocal: boolean;
  /** Whether payment runs in the sandbox of this machine. */
  billingMode: 'off' | 'sandbox' | 'stripe';
}

/**
 * What the composition root passes to the page renderer with each request: the page bundle imports no server
 * code, so it gets the router to call in process here.
 */
export interface ConsoleRequestContext {
  nonce: string;
  locale: Language;
  settings: ConsoleSettings;
  trpc: { router: AppRouter; context: RequestContext };
  /**
   * Returns the interaction that a sign-in page shows; null when it has expired, or another browser started
   * it. With an external issuer, there is no such page.
   */
  readInteraction(uid: string): Promise<Interaction | null>;
}

declare module '@tanstack/react-start' {
  interface Register {
    server: { requestContext: ConsoleRequestContext };
  }
}
