import { ConfigError } from './config-error.ts';
import type { Environment } from './environment-schema.ts';

/**
 * Requires that settings which need each other are set together.
 * @param present the names that are set, whatever their defaults
 * @throws ConfigError
 */
export function requireRelated(env: Environment, present: Partial<Record<string, string>>): void {
  if (env.OIDC_ISSUER && !env.OIDC_CLIENT_ID) {
    throw new ConfigError('OIDC_CLIENT_ID cannot be used: it is required when OIDC_ISSUER is set.');
  }
  for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const) {
    if (!env[name] || env.OIDC_ISSUER) continue;
    throw new ConfigError(
      `${name} cannot be used: it needs OIDC_ISSUER. Without an issuer, people sign in with accounts of this installation.`,
    );
  }
  if (env.CODE_HOST_URL && !env.OIDC_ISSUER) {
    throw new ConfigError(
      'CODE_HOST_URL cannot be used: it needs OIDC_ISSUER, the sign-in of the same code host.',
    );
  }
  if (env.MAIL_URL && !env.MAIL_FROM) {
    throw new ConfigError('MAIL_FROM cannot be used: it is required when MAIL_URL is set.');
  }
  if (env.ACME_DIRECTORY_URL && !present.ACME_ZONE) {
    throw new ConfigError('ACME_ZONE cannot be used: it is required when ACME_DIRECTORY_URL is set.');
  }
  if (env.TEST_CLOCK_FILE && (env.NODE_ENV !== 'test' || env.BILLING_MODE === 'stripe')) {
    throw new ConfigError(
      'TEST_CLOCK_FILE cannot be used: it moves the clock in tests (NODE_ENV=test), never when money is collected.',
    );
  }
  if (Boolean(env.ACME_EAB_KID) !== Boolean(env.ACME_EAB_HMAC)) {
    throw new ConfigError('ACME_EAB_HMAC cannot be used: ACME_EAB_KID and ACME_EAB_HMAC go together.');
  }
}
