import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { PaymentProvider } from '#server/payments/payment-provider.ts';
import { SANDBOX_KEYS } from '#server/payments/sandbox/sandbox-keys.ts';
import { createStripeProvider } from '#server/payments/stripe-provider.ts';
import { issueInvoices } from '#server/services/billing/invoices/issue-invoice.ts';
import { closeMonths } from '#server/services/billing/months/close-months.ts';
import { collectPayments } from '#server/services/billing/payments/collect-payment.ts';
import type { CreateCustomerInput } from '#server/services/billing/schema.ts';
import { resolveOrganization } from '#server/services/organizations/resolve-organization.ts';
import { insertNamedOrganization } from '../app/operator-context.ts';
import type { TestApp } from '../app/test-app.ts';
import { joinOrganization, type TestPerson } from '../app/test-person.ts';
import { openSandbox, setUpBilling } from './billing.ts';

/** The context in which a job of the installation runs. */
export const jobContext = (app: App) => ({
  app,
  actor: { kind: 'job' as const, name: 'test' },
  requestId: 'request',
  address: '',
});

/** Runs all month-end jobs once. Returns their errors, if any. */
export async function runMonthEnd(app: App): Promise<unknown[]> {
  const context = jobContext(app);
  const failures: unknown[] = [];
  for (const run of [closeMonths, issueInvoices, collectPayments]) {
    await run(context).catch((error: unknown) => failures.push(error));
  }
  return failures;
}

/** Moves the clock to an instant. */
export function travelTo(app: TestApp, at: number): void {
  app.clock.advance(at - app.clock.now());
}

/** Makes a site exist from an instant on, like its creation. */
export async function insertSite(app: App, organizationId: string, startedAt: number): Promise<string> {
  const id = newId(startedAt);
  await app.db
    .insertInto('resource_lifetimes')
    .values({
      resource_id: id,
      resource_type: 'site',
      organization_id: organizationId,
      name: `site ${id}`,
      started_at: startedAt,
      ended_at: null,
    })
    .execute();
  return id;
}

/** Creates another organization for a person, with billing set up and a site. */
export async function makePayingOrganization(
  person: TestPerson,
  startedAt: number,
  card?: string,
  contact: Partial<CreateCustomerInput> = {},
) {
  const { app } = person.context;
  const id = await insertNamedOrganization(app);
  const context = await joinOrganization(person, id, 'owner');
  await setUpBilling(context, { contact, ...(card !== undefined && { card }) });
  const site = await insertSite(app, id, startedAt);
  return { id, site, context: await resolveOrganization(context, id) };
}

/** What a crash does to a call: it never started, or its response never arrived. */
export type Crash = 'before' | 'after' | null;

/** Returns the app with a provider whose calls crash as decided for each. */
export async function withCrashes<T extends App>(app: T, decide: (call: string) => Crash): Promise<T> {
  const { sandbox } = await openSandbox(app);
  // Without the SDK's own retries: each call is one request.
  const settings = { mode: 'sandbox' as const, ...SANDBOX_KEYS };
  const provider = createStripeProvider(settings, { ...app, retries: 0 }, sandbox.fetch);
  const crashing = crashingProvider(provider, decide);
  const { mode, publishableKey } = app.payments ?? settings;
  return { ...app, payments: { mode, publishableKey, open: async () => ({ provider: crashing, sandbox }) } };
}

/** Returns a provider whose calls crash as decided for each. */
export function crashingProvider(
  provider: PaymentProvider,
  decide: (call: string) => Crash,
): PaymentProvider {
  return new Proxy(provider, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      // Parsing a delivery calls no one.
      if (typeof value !== 'function' || property === 'readEvent') return value;
      return async (...given: unknown[]) => {
        const crash = decide(String(property));
        if (crash === 'before') throw new Error(`killed before ${String(property)}`);
        const response: unknown = await Reflect.apply(value, target, given);
        if (crash === 'after') throw new Error(`killed after ${String(property)}`);
        return response;
      };
    },
  });
}

/**
 * Returns the contents of an installation's provider: its invoices, the paid ones, and the amount collected.
 */
export async function readProviderInvoices(app: App) {
  const rows = await app.db
    .selectFrom('sandbox_objects')
    .select('body')
    .where('kind', '=', 'invoice')
    .orderBy('sequence')
    .execute();
  return rows.map(
    ({
      body,
    }): {
      id: string;
      status: string;
      total: number;
      amount_paid: number;
      metadata: { portage_key: string };
      lines: { data: { description: string; taxes: { tax_rate_details: { tax_rate: string } }[] }[] };
    } => JSON.parse(body),
  );
}
