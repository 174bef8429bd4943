import type { SetupIntentResult, StripeError } from '@stripe/stripe-js';
import { confirmSetup, readSetup } from './ask-sandbox.ts';
import { askToAuthenticate } from './ask-to-authenticate.ts';
import { digitsOf, readExpiry } from './card-rules.ts';
import { ElementsGroup, type GroupOptions } from './elements-group.ts';
import { describeProblem } from './words.ts';

/**
 * The stand-in of Stripe.js in the sandbox: what loadStripe takes as `window.Stripe`, so that nothing outside is asked. It has
 * what react-stripe-js checks for and what a card needs, and talks to `/_sandbox` of this console only.
 */
interface ConfirmOptions {
  elements: ElementsGroup;
  clientSecret: string;
}

/** Hands the card to the sandbox and, where it asks for authentication, the person's answer. */
async function confirm({ elements, clientSecret }: ConfirmOptions): Promise<SetupIntentResult> {
  const { number, expiry } = elements.card.fields.typed();
  const { month, year } = readExpiry(expiry);
  const card = { number: digitsOf(number), exp_month: month, exp_year: year };
  let result = await confirmSetup(clientSecret, card);
  if (result.setupIntent?.status === 'requires_action') {
    const authentication = await askToAuthenticate(elements.words, elements.look);
    result = await confirmSetup(clientSecret, { authentication });
  }
  const failure = result.error ?? failureOf(result);
  if (!failure) return result;
  return { error: { ...failure, message: describeProblem(elements.words, failure.code, failure.message) } };
}

/** A setup that was refused comes back as it is, with the reason inside. */
function failureOf({ setupIntent }: SetupIntentResult): StripeError | null {
  if (!setupIntent || setupIntent.status === 'succeeded') return null;
  return { type: 'invalid_request_error', ...setupIntent.last_setup_error };
}

const isMissing = () => Promise.reject(new Error('the sandbox takes cards only'));

const createStandIn = () => ({
  elements: (options?: GroupOptions) => new ElementsGroup(options),
  confirmSetup: confirm,
  retrieveSetupIntent: readSetup,
  createToken: isMissing,
  createPaymentMethod: isMissing,
  confirmCardPayment: isMissing,
  _registerWrapper: () => undefined,
  registerAppInfo: () => undefined,
});

/** Under the version that stripe-js of this release asks for. */
Object.assign(window, { Stripe: Object.assign(createStandIn, { version: 'endive' }) });
