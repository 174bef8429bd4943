import type { BillingMode } from '#db/schema/billing-mode.ts';
import type { App } from '../context.ts';
import type { PaymentProvider } from './payment-provider.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { SANDBOX_KEYS } from './sandbox/sandbox-keys.ts';

/** Collects money. */
export interface Payments {
  readonly mode: BillingMode;
  /** For the browser; no secret. */
  readonly publishableKey: string;
  /** Loads the SDK on the first call: it takes memory, and most processes never collect payments. */
  open(): Promise<OpenPayments>;
}

export interface OpenPayments {
  provider: PaymentProvider;
  /** What responds below the SDK when no real provider is configured. */
  sandbox: Sandbox | null;
}

type Parts = Pick<App, 'config' | 'db' | 'clock' | 'outgoing'>;

/** Returns the payment service, or null when nothing is billed. Calls no one. */
export function createPayments(parts: Parts): Payments | null {
  const { mode, stripe } = parts.config.billing;
  if (mode === null) return null;
  let opened: Promise<OpenPayments> | undefined;
  return {
    mode,
    publishableKey: stripe?.publishableKey ?? SANDBOX_KEYS.publishableKey,
    open() {
      opened ??= openPayments(mode, parts);
      return opened;
    },
  };
}

async function openPayments(mode: BillingMode, parts: Parts): Promise<OpenPayments> {
  const { createStripeProvider } = await import('./stripe-provider.ts');
  const outside = (provider: PaymentProvider) => parts.outgoing.outsideTransactions('payments', provider);
  const { stripe } = parts.config.billing;
  if (stripe) return { provider: outside(createStripeProvider({ mode, ...stripe }, parts)), sandbox: null };
  const { Sandbox } = await import('./sandbox/sandbox.ts');
  const sandbox = new Sandbox({ ...parts, publicUrl: parts.config.publicUrl });
  return {
    provider: outside(createStripeProvider({ mode, ...SANDBOX_KEYS }, parts, sandbox.fetch)),
    sandbox,
  };
}
