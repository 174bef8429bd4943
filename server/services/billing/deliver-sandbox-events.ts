import type { RequestContext } from '#server/context.ts';
import { takeWebhook } from './take-webhook.ts';

/** Hands over what the payment sandbox tells, as a provider would by HTTP. Returns how many events were taken. */
export async function deliverSandboxEvents({ app }: RequestContext): Promise<number> {
  if (app.payments?.mode !== 'sandbox') return 0;
  const { sandbox } = await app.payments.open();
  return sandbox ? sandbox.deliver((body, signature) => takeWebhook(app, body, signature)) : 0;
}
