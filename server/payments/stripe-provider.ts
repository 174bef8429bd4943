import Stripe from 'stripe';
import { z } from 'zod';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import type { Clock } from '../clock.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { isPaymentOutage, PaymentError } from './payment-error.ts';
import type { PaymentProvider, ProviderEvent } from './payment-provider.ts';
import { createStripeCall, toPaymentError } from './stripe-call.ts';
import { stripeCredits } from './stripe-credits.ts';
import { stripeCustomers } from './stripe-customers.ts';
import { stripeInvoices } from './stripe-invoices.ts';
import { stripeReversals } from './stripe-reversals.ts';

/**
 * A call without a whole response ends after this, and is retried twice with the same key. People get a response before a
 * proxy gives up on theirs, which is after a minute with most.
 */
const TIMEOUT_MS = 18_000;
const RETRIES = 2;
/** A delivery that was signed longer ago is a replay. */
const SIGNATURE_AGE_MAX_SECONDS = 300;

export interface StripeSettings {
  mode: BillingMode;
  secretKey: string;
  publishableKey: string;
  /** Any of them may have signed: two while one replaces the other. */
  webhookSecrets: readonly string[];
}

/**
 * Returns the payment provider on Stripe's SDK.
 * @param fetchOf what responds instead of the network, such as the sandbox
 */
export function createStripeProvider(
  settings: StripeSettings,
  parts: { clock: Clock; outgoing: Outgoing; retries?: number; timeoutMs?: number },
  fetchOf: typeof fetch = boundedFetch,
): PaymentProvider {
  const { mode, secretKey, publishableKey, webhookSecrets } = settings;
  const stripe = new Stripe(secretKey, {
    timeout: TIMEOUT_MS,
    ...(parts.timeoutMs !== undefined && { timeout: parts.timeoutMs }),
    maxNetworkRetries: parts.retries ?? RETRIES,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(fetchOf),
  });
  const circuit = parts.outgoing.circuit('payments', isPaymentOutage);
  const call = createStripeCall(circuit);
  return {
    mode,
    publishableKey,
    ...stripeCustomers(stripe, call),
    ...stripeInvoices(stripe, call),
    ...stripeCredits(stripe, call),
    ...stripeReversals(stripe, call),
    readEvent: (body, signature) => readEvent(stripe, parts.clock, webhookSecrets, body, signature),
  };
}

function readEvent(
  stripe: Stripe,
  clock: Clock,
  secrets: readonly string[],
  body: string,
  signature: string,
): ProviderEvent | null {
  const verifier = stripe.webhooks.signature;
  if (verifier === null) throw new Error('the SDK cannot verify signatures');
  let refusal: unknown = new PaymentError('signature', 'no webhook secret is set');
  for (const secret of secrets) {
    try {
      // Not `constructEvent`, which throws for events of other API versions after it has verified them.
      verifier.verifyHeader(body, signature, secret, SIGNATURE_AGE_MAX_SECONDS, undefined, clock.now());
      return toEvent(JSON.parse(body));
    } catch (error) {
      refusal = error;
    }
  }
  if (refusal instanceof SyntaxError) throw new PaymentError('signature', 'a webhook is no JSON');
  throw toPaymentError(refusal);
}

/** What of an event is read. The provider may sign events of kinds, and of API versions, that this program has no rule for. */
const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  created: z.number().int(),
  data: z.object({ object: z.object({ object: z.string(), id: z.string() }) }),
});

/** Returns null for an event without an object that could be fetched, such as a preview of an invoice. */
function toEvent(event: unknown): ProviderEvent | null {
  const read = eventSchema.safeParse(event);
  if (!read.success) return null;
  const { id, type, created, data } = read.data;
  return { id, type, objectType: data.object.object, objectId: data.object.id, createdAt: created * 1_000 };
}
