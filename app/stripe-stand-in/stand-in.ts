import type { SetupIntentResult, StripeError } from '@stripe/stripe-js';
import { confirmSetup, readSetup } from './ask-sandbox.ts';
import { askToAuthenticate } from './ask-to-authenticate.ts';
import { digitsOf, readExpiry } from './card-rules.ts';
import { ElementsGroup, type GroupOptions } from './elements-group.ts';
import { describeProblem } from './words.ts';

/**
 * The stand-in of Stripe.js in the sandbox: loadStripe uses it as `window.Stripe`, so that nothing outside is
 * called. It has what react-stripe-js checks for and what a card needs, and only calls `/_sandbox` of this
 * console.
 */
interface ConfirmOptions {
  elements: ElementsGroup;
  clientSecret: string;
}

/** Sends the card to the sandbox and, if it requires authentication, the person's response. */
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

/** A refused setup is returned as it is, with the reason inside. */
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

/** The version that stripe-js of this release requires. */
Object.assign(window, { Stripe: Object.assign(createStandIn, { version: 'endive' }) });
