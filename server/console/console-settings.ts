import type { ConsoleSettings } from '#app/request-context.ts';
import type { Config } from '../config/config.ts';
import { canUsePasskeys } from '../services/identity/passkeys/passkeys.ts';

/** Returns the settings of this installation that pages may read: no secrets. */
export function toConsoleSettings(config: Config, cliRelease: string): ConsoleSettings {
  return {
    productName: config.productName,
    publicUrl: config.publicUrl,
    cliRelease,
    sitesHost: config.sitesDomain,
    s3Url: config.s3Url,
    links: {
      signUp: config.links.signUp ?? registrationAddress(config),
      terms: config.links.terms ?? '/legal/terms',
      privacy: config.links.privacy ?? '/legal/privacy',
      acceptableUse: config.links.acceptableUse ?? '/legal/acceptable-use',
    },
    isIdentityEmbedded: config.oidc === null,
    canUsePasskeys: canUsePasskeys(config),
    codeHostUrl: config.codeHostUrl,
    sendsMail: config.mail !== null,
    isAuthorityLocal: config.acme === null,
    billingMode: config.billingMode,
  };
}

function registrationAddress({ oidc, registration }: Config): string | null {
  if (!registration.isOpen && registration.domains.length === 0 && registration.groups.length === 0)
    return null;
  return oidc ? oidc.issuer : '/identity/register';
}
