import type { SetupIntent, SetupIntentResult, StripeError } from '@stripe/stripe-js';

/** What is sent to the sandbox about a setup: a card, or the response to an authentication request. */
export interface Confirmation {
  number?: string;
  exp_month?: number;
  exp_year?: number;
  authentication?: 'complete' | 'refuse';
}

const NO_CONNECTION: StripeError = {
  type: 'api_connection_error',
  message: 'The payment sandbox cannot be reached. Check your connection and try again.',
};

/** Reads a setup. */
export function readSetup(clientSecret: string): Promise<SetupIntentResult> {
  const query = new URLSearchParams({ client_secret: clientSecret });
  return ask(`${pathOf(clientSecret)}?${query}`);
}

/** Confirms a setup with a card, or with the response to an authentication request. */
export function confirmSetup(clientSecret: string, given: Confirmation): Promise<SetupIntentResult> {
  return ask(`${pathOf(clientSecret)}/confirm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_secret: clientSecret, ...given }),
  });
}

/** The secret begins with the id of what it opens. */
function pathOf(clientSecret: string): string {
  return `/_sandbox/setup-intents/${encodeURIComponent(clientSecret.split('_secret_')[0] ?? '')}`;
}

/** The provider's own script returns an error instead of throwing. */
async function ask(path: string, init?: RequestInit): Promise<SetupIntentResult> {
  try {
    const response = await fetch(path, init);
    // Safe: the sandbox's serializers are typed by the provider's SDK, whose objects these are.
    const body = (await response.json()) as SetupIntent & { error?: StripeError };
    if (response.ok) return { setupIntent: body };
    return { error: body.error ?? { type: 'api_error', message: `HTTP ${response.status}` } };
  } catch {
    return { error: NO_CONNECTION };
  }
}
