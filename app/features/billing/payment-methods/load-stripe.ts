import type { Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';
import type { ConsoleSettings } from '../../../request-context.ts';

/** Serves a replacement of Stripe.js, without calling anything outside (server/console/answer-sandbox.ts). */
const STAND_IN = '/_sandbox/stripe.js';

/**
 * Returns the card payment provider of this installation. In the sandbox its stand-in is loaded first, and
 * loadStripe uses it; otherwise Stripe.js comes from Stripe. It is loaded only where a card is entered.
 * @throws when the configuration or the script cannot be loaded; retrying is then fine
 */
export async function loadPaymentProvider(mode: ConsoleSettings['billingMode']): Promise<Stripe> {
  const [key] = await Promise.all([readPublishableKey(), mode === 'sandbox' ? loadScript(STAND_IN) : null]);
  const stripe = await loadStripe(key);
  if (!stripe) throw new Error('the payment provider cannot be loaded here');
  return stripe;
}

/** The key is public; it identifies the recipient of the cards. */
async function readPublishableKey(): Promise<string> {
  const response = await fetch('/_webconfig');
  const { stripePublishableKey } = (await response.json()) as { stripePublishableKey?: string | null };
  if (!response.ok || !stripePublishableKey) throw new Error('no payment provider is set');
  return stripePublishableKey;
}

function loadScript(address: string): Promise<void> {
  if ('Stripe' in window) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error(`${address} cannot be loaded`));
    });
    document.head.append(script);
  });
}
