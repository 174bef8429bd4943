import { requireStatus } from '../client/deploy-client.ts';
import { objectOf, type RestClient } from '../client/rest-client.ts';
import { BILLING_CONTACT } from './billing.ts';

/** Sets up billing over HTTP like a new customer's browser, with a working card. */
export async function setUpBillingByRest(
  person: RestClient,
  contact: Partial<typeof BILLING_CONTACT> = {},
): Promise<void> {
  const customer = { json: { ...BILLING_CONTACT, ...contact } };
  requireStatus(await person('POST', '/api/v1/billing/customer', customer), 201);
  const intent = requireStatus(await person('POST', '/api/v1/billing/setup-intent', { json: {} }), 201);
  const secret = String(objectOf(intent).client_secret);
  const [setup_intent_id = ''] = secret.split('_secret_');
  const card = { client_secret: secret, number: '4242 4242 4242 4242' };
  const confirm = `/_sandbox/setup-intents/${setup_intent_id}/confirm`;
  requireStatus(await person('POST', confirm, { json: card }), 200);
  requireStatus(await person('POST', '/api/v1/billing/payment-methods', { json: { setup_intent_id } }), 200);
}
