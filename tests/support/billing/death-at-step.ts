import type { KyselyPlugin } from 'kysely';
import { SANDBOX_KEYS } from '#server/payments/sandbox/sandbox-keys.ts';
import { createStripeProvider } from '#server/payments/stripe-provider.ts';
import type { TestApp } from '../app/test-app.ts';
import { openSandbox } from './billing.ts';
import { crashingProvider } from './billing-month.ts';

/**
 * Returns an installation whose process is killed before its n-th step, counted from 0: a statement, or a call of the payment
 * provider. Nothing after it happens, so that a call that was made is one whose response was lost.
 */
export async function withDeathAt(
  app: TestApp,
  step: number,
): Promise<{ app: TestApp; isDead: () => boolean }> {
  const { sandbox } = await openSandbox(app);
  let steps = 0;
  const isDead = () => steps > step;
  const take = () => {
    steps += 1;
    if (isDead()) throw new Error('killed');
  };
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      take();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const settings = { mode: 'sandbox' as const, ...SANDBOX_KEYS };
  const provider = createStripeProvider(settings, { ...app, retries: 0 }, sandbox.fetch);
  const mortal = crashingProvider(provider, () => {
    take();
    return null;
  });
  const { mode, publishableKey } = app.payments ?? settings;
  const payments = { mode, publishableKey, open: async () => ({ provider: mortal, sandbox }) };
  return { app: { ...app, db: app.db.withPlugin(counting), payments }, isDead };
}
