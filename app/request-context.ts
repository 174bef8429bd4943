import type { RequestContext } from '#server/context.ts';
import type { AppRouter } from '#server/routers/app-router.ts';
import type { Language } from '#server/services/identity/rules.ts';

/** What the console's pages need to know of this installation; sent to the browser with the page. */
export interface ConsoleSettings {
  productName: string;
  publicUrl: string;
  /** Which release of the command line this installation hands out at `/cli/{release}.tgz`. */
  cliRelease: string;
  /** The provider site-domain suffix `{host}` of site addresses, e.g. `sites.localhost`. */
  sitesHost: string;
  /** Where S3 clients reach the object storage, without a slash at the end. */
  s3Url: string;
  /** `signUp` is null where nobody may register without an invitation. */
  links: { signUp: string | null; terms: string; privacy: string; acceptableUse: string };
  /** Whether the embedded identity service signs people in (its profile page is ours). */
  isIdentityEmbedded: boolean;
  /** Whether browsers let passkeys be used at this installation's address. */
  canUsePasskeys: boolean;
  /** Where organizations are made and managed when that is elsewhere, without a slash at the end; null otherwise. */
  codeHostUrl: string | null;
  /** Whether this installation sends e-mail. */
  sendsMail: boolean;
  /** Whether certificates come from this installation's own authority, which browsers do not know. */
  isAuthorityLocal: boolean;
  /** Whether payment and certificates run in the sandbox of this machine. */
  billingMode: 'off' | 'sandbox' | 'stripe';
}

/**
 * What the composition root hands to the page renderer with each request: the page bundle imports no server code, so
 * the router to call in process arrives here.
 */
export interface ConsoleRequestContext {
  nonce: string;
  locale: Language;
  settings: ConsoleSettings;
  trpc: { router: AppRouter; context: RequestContext };
}

declare module '@tanstack/react-start' {
  interface Register {
    server: { requestContext: ConsoleRequestContext };
  }
}
