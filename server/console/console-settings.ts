import type { ConsoleSettings } from '#app/request-context.ts';
import type { Config } from '../config.ts';

/** Returns what pages may know of this installation: no secret is among it. */
export function toConsoleSettings(config: Config): ConsoleSettings {
  return {
    productName: config.productName,
    publicUrl: config.publicUrl,
    sitesHost: config.sitesDomain,
    s3Url: config.s3Url,
    links: {
      signUp: config.links.signUp ?? (config.oidc ? config.oidc.issuer : '/identity/register'),
      terms: config.links.terms ?? '/legal/terms',
      privacy: config.links.privacy ?? '/legal/privacy',
      acceptableUse: config.links.acceptableUse ?? '/legal/acceptable-use',
    },
    isIdentityEmbedded: config.oidc === null,
    codeHostUrl: config.codeHostUrl,
    sendsMail: config.mail !== null,
    isAuthorityLocal: config.acme === null,
    billingMode: config.billingMode,
  };
}
