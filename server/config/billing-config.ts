import type { BillingMode } from '#db/schema/billing-mode.ts';
import {
  REGISTRATION_KINDS,
  REGISTRATION_PATTERNS,
  type RegistrationKind,
  type Registrations,
} from '../services/billing/months/tax-rules.ts';
import { ConfigError } from './config-error.ts';

/** Who sells, how money is collected, and for whom taxes are collected. */
export interface BillingConfig {
  /** The billing mode; null when billing is off. */
  mode: BillingMode | null;
  /** The keys of the provider; null in the sandbox and when billing is off. */
  stripe: { secretKey: string; publishableKey: string; webhookSecrets: readonly string[] } | null;
  /** Numbers under which the seller collects taxes; a tax without one is not charged. */
  registrations: Registrations;
  seller: { name: string; address: string };
  /** Thousandths of a cent for a GB that is stored for a month; 0 where storage is not billed. */
  storageMillicents: number;
}

/** The environment variables about billing. */
export interface BillingEnvironment {
  BILLING_MODE: 'off' | 'sandbox' | 'stripe';
  STRIPE_SECRET_KEY?: string | undefined;
  STRIPE_PUBLISHABLE_KEY?: string | undefined;
  STRIPE_WEBHOOK_SECRET: readonly string[];
  TAX_REGISTRATIONS: readonly string[];
  SELLER_NAME?: string | undefined;
  SELLER_ADDRESS: string;
  PRODUCT_NAME: string;
  STORAGE_PRICE_CENTS_PER_GB_MONTH: number;
}

/**
 * Returns the settings of billing.
 * @throws ConfigError naming the variable that cannot be used; keys are never echoed
 */
export function readBilling(env: BillingEnvironment): BillingConfig {
  const registrations = readRegistrations(env.TAX_REGISTRATIONS);
  const seller = { name: env.SELLER_NAME ?? env.PRODUCT_NAME, address: env.SELLER_ADDRESS };
  const storageMillicents = Math.round(env.STORAGE_PRICE_CENTS_PER_GB_MONTH * 1_000);
  const common = { registrations, seller, storageMillicents };
  if (env.BILLING_MODE !== 'stripe') {
    const isLive = [env.STRIPE_SECRET_KEY, env.STRIPE_PUBLISHABLE_KEY].some((key) => key?.includes('_live_'));
    if (env.BILLING_MODE === 'sandbox' && isLive) {
      throw new ConfigError('BILLING_MODE cannot be used: the sandbox refuses to run with live Stripe keys.');
    }
    return { mode: env.BILLING_MODE === 'sandbox' ? 'sandbox' : null, stripe: null, ...common };
  }
  const secretKey = env.STRIPE_SECRET_KEY ?? '';
  const publishableKey = env.STRIPE_PUBLISHABLE_KEY ?? '';
  const mode = /^(?:sk|rk)_(test|live)_\w+$/.exec(secretKey)?.[1];
  if (mode !== 'test' && mode !== 'live') {
    throw new ConfigError(
      'STRIPE_SECRET_KEY cannot be used: it must begin with sk_ or rk_, and test_ or live_.',
    );
  }
  if (!publishableKey.startsWith(`pk_${mode}_`)) {
    throw new ConfigError(`STRIPE_PUBLISHABLE_KEY cannot be used: it must begin with pk_${mode}_.`);
  }
  if (env.STRIPE_WEBHOOK_SECRET.length === 0) {
    throw new ConfigError(
      'STRIPE_WEBHOOK_SECRET cannot be used: it is required when BILLING_MODE is stripe.',
    );
  }
  return {
    mode,
    stripe: { secretKey, publishableKey, webhookSecrets: env.STRIPE_WEBHOOK_SECRET },
    ...common,
  };
}

/** `GST:123456789RT0001,QST:1234567890TQ0001` */
function readRegistrations(entries: readonly string[]): Registrations {
  const registrations: Partial<Record<RegistrationKind, string>> = {};
  for (const entry of entries) {
    const [name = '', number = ''] = entry.split(':');
    const kind = REGISTRATION_KINDS.find((known) => known === name);
    if (!kind) {
      throw new ConfigError(
        `TAX_REGISTRATIONS cannot be used: it must name taxes as ${REGISTRATION_KINDS.join(', ')}, each with a number after a colon.`,
      );
    }
    if (!REGISTRATION_PATTERNS[kind].test(number)) {
      throw new ConfigError(`TAX_REGISTRATIONS cannot be used: the number of ${kind} has the wrong form.`);
    }
    registrations[kind] = number;
  }
  return registrations;
}
