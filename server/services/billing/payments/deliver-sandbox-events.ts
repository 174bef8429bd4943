import type { RequestContext } from '#server/context.ts';
import { takeWebhook } from './take-webhook.ts';

/** Delivers the payment sandbox's events, like a provider by HTTP. Returns how many were accepted. */
export async function deliverSandboxEvents({ app }: RequestContext): Promise<number> {
  if (app.payments?.mode !== 'sandbox') return 0;
  const { sandbox } = await app.payments.open();
  return sandbox ? sandbox.deliver((body, signature) => takeWebhook(app, body, signature)) : 0;
}
