import type { ConsoleSettings } from '#app/request-context.ts';
import type { Config } from '../config.ts';

/** Returns what pages may know of this installation: no secret is among it. */
export function toConsoleSettings(config: Config): ConsoleSettings {
  return {
    productName: config.productName,
    publicUrl: config.publicUrl,
    sitesHost: config.sitesDomain,
    links: {
      ...config.links,
      signUp: config.links.signUp ?? (config.oidc ? config.oidc.issuer : '/identity/register'),
    },
    isIdentityEmbedded: config.oidc === null,
    billingMode: config.billingMode,
  };
}
