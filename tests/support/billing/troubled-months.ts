import type { KyselyPlugin } from 'kysely';
import type { App, OrganizationContext, RequestContext } from '#server/context.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { Circuit } from '#server/outgoing/circuit.ts';
import { SANDBOX_KEYS } from '#server/payments/sandbox/sandbox-keys.ts';
import { createStripeProvider } from '#server/payments/stripe-provider.ts';
import { addPaymentMethod } from '#server/services/billing/customers/add-payment-method.ts';
import { setDefaultPaymentMethod } from '#server/services/billing/customers/set-default-payment-method.ts';
import { syncCustomers } from '#server/services/billing/customers/sync-customer.ts';
import { issueInvoices } from '#server/services/billing/invoices/issue-invoice.ts';
import { closeMonths } from '#server/services/billing/months/close-months.ts';
import { collectPayments } from '#server/services/billing/payments/collect-payment.ts';
import { deliverSandboxEvents } from '#server/services/billing/payments/deliver-sandbox-events.ts';
import { handleWebhooks } from '#server/services/billing/payments/handle-webhooks.ts';
import { reconcileBilling } from '#server/services/billing/payments/reconcile-billing.ts';
import type { UsageBatchRow } from '#server/services/usage/schema.ts';
import type { TestApp } from '../app/test-app.ts';
import type { TestPerson } from '../app/test-person.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { countUsage, usageRow } from '../usage/usage-batches.ts';
import { enterCard, openSandbox, TEST_CARDS } from './billing.ts';
import { crashingProvider, jobContext, makePayingOrganization, travelTo } from './billing-month.ts';
import { type CountedMonth, TAXED_PROVINCES } from './second-opinion.ts';

/** An organization that is billed, and what was counted for it. */
export interface TroubledAccount {
  id: string;
  site: string;
  context: OrganizationContext;
  province: string;
  /** By the number of the month, from 0. */
  counted: CountedMonth[];
}

export interface Troubles {
  random: SeededRandom;
  accounts: number;
  months: number;
  /** Start of the first billed month. */
  start: number;
}

/** The state at the end of the months: what was counted, and how often something went wrong. */
export interface TroubledWorld {
  accounts: TroubledAccount[];
  troubles: Map<string, number>;
}

/**
 * Runs accounts through months in which everything goes wrong: jobs are killed between any two statements and
 * calls, run simultaneously and in any order, responses are lost, the provider is down or declines, events
 * arrive twice, late and in reverse, the clock jumps both ways, and usage arrives in pieces and late. Two
 * neighbouring accounts have the same usage in different pieces and another order. At the end the clock is
 * again where it has already been, since what was planned then waits until then; it is calm for a while, and
 * people have working cards.
 */
export async function liveThroughMonths(
  app: TestApp,
  person: TestPerson,
  { random, accounts: count, months, start }: Troubles,
): Promise<TroubledWorld> {
  const troubles = new Map<string, number>();
  const note = (trouble: string) => troubles.set(trouble, (troubles.get(trouble) ?? 0) + 1);
  const accounts = await makeAccounts(person, random, count, start);
  const troubled = await troubledApp(app, random, note);
  let furthest = start;
  for (let month = 0; month < months; month += 1) {
    const begins = monthAt(start, month);
    travelTo(app, begins + 9 * DAY_MS);
    const isLast = month === months - 1;
    const late = await countMonth(app, accounts, random, {
      ...{ month, begins, lateShare: isLast ? 0 : 0.25 },
    });
    travelTo(app, monthAt(start, month + 1) + DAY_MS);
    for (let round = 0; round < ROUNDS; round += 1) {
      await runTroubledJobs(app, troubled, random, note);
      await mendSomeCards(app, accounts, random, 0.3);
      furthest = Math.max(furthest, app.clock.now());
      travelTo(app, app.clock.now() + jumpOf(random, note));
    }
    await countRows(app, late, begins + 20 * DAY_MS);
  }
  travelTo(app, Math.max(furthest, app.clock.now()));
  await calmDown(app, accounts, random);
  return { accounts, troubles };
}

const ROUNDS = 6;
const CALM_ROUNDS = 6;

function monthAt(start: number, month: number): number {
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + month, 1);
}

async function makeAccounts(
  person: TestPerson,
  random: SeededRandom,
  count: number,
  start: number,
): Promise<TroubledAccount[]> {
  const cards = [TEST_CARDS.works, TEST_CARDS.works, TEST_CARDS.declinesLater, TEST_CARDS.authenticates];
  const accounts: TroubledAccount[] = [];
  for (let number = 0; number < count; number += 1) {
    // Neighbours are in the same province, so that their invoices can be compared.
    const province = TAXED_PROVINCES[Math.floor(number / 2) % TAXED_PROVINCES.length] ?? 'QC';
    const card = cards[random.below(cards.length)] ?? TEST_CARDS.works;
    const made = await makePayingOrganization(person, start, card, { province });
    accounts.push({ ...made, province, counted: [] });
  }
  return accounts;
}

/** What the bucket of an account held in a month, on one day or on several. */
async function storeMonth(
  app: TestApp,
  { id: organization_id }: TroubledAccount,
  number: number,
  begins: number,
  byteHours: number,
): Promise<void> {
  const days = 1 + (number % 4);
  const rest = byteHours % days;
  const rows = Array.from({ length: days }, (_, at) => ({
    bucket_id: `bucket-${organization_id}`,
    bucket_name: 'kept',
    organization_id,
    day: begins + at * 7 * DAY_MS,
    byte_hours: (byteHours - rest) / days + (at === 0 ? rest : 0),
    ...{ requests: 0, bytes_received: 0, bytes_sent: 0, refused_requests: 0 },
  }));
  await app.db.insertInto('bucket_days').values(rows).execute();
}

/** A month of troubled accounts. */
interface TroubledMonth {
  /** 0 is the first that is counted. */
  month: number;
  /** Its first instant, in milliseconds since the epoch. */
  begins: number;
  /** The share of its rows that arrives late, from 0 to 1. */
  lateShare: number;
}

/** Counts a month of every account and returns the rows that will arrive late. */
async function countMonth(
  app: TestApp,
  accounts: readonly TroubledAccount[],
  random: SeededRandom,
  { month, begins, lateShare }: TroubledMonth,
): Promise<UsageBatchRow[]> {
  const late: UsageBatchRow[] = [];
  const pieces: UsageBatchRow[][] = [[], [], [], []];
  const whole: UsageBatchRow[] = [];
  for (const [number, account] of accounts.entries()) {
    const twin = number % 2 === 1 ? accounts[number - 1]?.counted[month] : undefined;
    const bytes = twin?.bytes ?? BigInt(random.below(40_000_000) * 10_000 + random.below(10_000));
    const requests = twin?.requests ?? BigInt(random.below(3_000_000));
    const byteHours = twin?.byteHours ?? BigInt(random.below(2 ** 40));
    account.counted[month] = { sites: 1, endpoints: 0, bytes, requests, byteHours };
    await storeMonth(app, account, number, begins, Number(byteHours));
    const rowOf = (bytes_sent: number, asked: number) =>
      usageRow(account.id, { siteId: account.site }, { bytes_sent, requests: asked });
    const [sent, asked] = [Number(bytes), Number(requests)];
    if (number % 2 === 0) {
      const part = random.next() < lateShare ? Math.floor(asked / 3) : 0;
      whole.push(rowOf(sent - part * 7, asked - part));
      if (part > 0) late.push(rowOf(part * 7, part));
      continue;
    }
    const share = [0, 1, 2].map(() => ({
      sent: Math.floor(sent / (5 + random.below(5))),
      asked: Math.floor(asked / (5 + random.below(5))),
    }));
    const rest = share.reduce(
      (left, each) => ({ sent: left.sent - each.sent, asked: left.asked - each.asked }),
      { sent, asked },
    );
    for (const [at, piece] of [...share, rest].entries()) pieces[at]?.push(rowOf(piece.sent, piece.asked));
  }
  await countRows(app, whole, begins + 3 * DAY_MS);
  for (const [at, rows] of pieces.toReversed().entries()) {
    await countRows(app, rows, begins + ((at * 11) % 28) * DAY_MS + at * HOUR_MS);
  }
  return late;
}

async function countRows(app: App, rows: readonly UsageBatchRow[], at: number): Promise<void> {
  if (rows.length > 0) await countUsage(app, [...rows], at);
}

/**
 * Returns the installation as its jobs see it: killed before any statement, and with a provider that fails in
 * every way.
 */
async function troubledApp(
  app: TestApp,
  random: SeededRandom,
  note: (trouble: string) => void,
): Promise<TestApp> {
  const { sandbox } = await openSandbox(app);
  const killer: KyselyPlugin = {
    transformQuery({ node }) {
      if (random.next() < 0.004) {
        note('killed before a statement');
        throw new Error('killed before a statement');
      }
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const troubledFetch: typeof fetch = async (input, init) => {
    const drawn = random.next();
    const fail = (trouble: string) => {
      note(trouble);
      throw new TypeError('fetch failed');
    };
    if (drawn < 0.01) return fail('unreachable');
    if (drawn < 0.02) {
      note('500');
      return Response.json({ error: { type: 'api_error', message: 'An error' } }, { status: 500 });
    }
    if (drawn < 0.03) {
      note('429');
      return Response.json({ error: { type: 'api_error', message: 'Too many' } }, { status: 429 });
    }
    if (drawn < 0.04) {
      note('nonsense');
      return Response.json({ hello: 'proxy' });
    }
    const response = await sandbox.fetch(input, init);
    return drawn < 0.06 ? fail('a lost answer') : response;
  };
  // A circuit waits on a clock that tests do not move.
  const outgoing = { ...app.outgoing, circuit: () => new Circuit(() => false) };
  const settings = { mode: 'sandbox' as const, ...SANDBOX_KEYS };
  const provider = createStripeProvider(settings, { ...app, outgoing, retries: 0 }, troubledFetch);
  const crashing = crashingProvider(provider, (call) => {
    const drawn = random.next();
    if (drawn >= 0.04) return null;
    note(drawn < 0.02 ? `killed before ${call}` : `killed after ${call}`);
    return drawn < 0.02 ? 'before' : 'after';
  });
  const { mode, publishableKey } = app.payments ?? settings;
  return {
    ...app,
    db: app.db.withPlugin(killer),
    payments: { mode, publishableKey, open: async () => ({ provider: crashing, sandbox }) },
  };
}

type JobRun = (context: RequestContext) => Promise<unknown>;

/** Runs the billing jobs in any order, some of them twice at once. */
async function runTroubledJobs(
  app: TestApp,
  troubled: TestApp,
  random: SeededRandom,
  note: (trouble: string) => void,
): Promise<void> {
  const { sandbox } = await openSandbox(app);
  sandbox.faults.deliveries = {
    isDuplicated: random.below(2) === 0,
    isReversed: random.below(2) === 0,
    delayMs: random.below(3) === 0 ? DAY_MS : 0,
  };
  const jobs: JobRun[] = [closeMonths, issueInvoices, collectPayments, deliverSandboxEvents, handleWebhooks];
  if (random.below(12) === 0) jobs.push(reconcileBilling, syncCustomers);
  const [kept, ...moved] = [random.below(jobs.length), ...jobs.keys()];
  const order = moved.map((at) => jobs[(at + (kept ?? 0)) % jobs.length] ?? closeMonths);
  for (const job of order) {
    const times = random.below(4) === 0 ? 2 : 1;
    const runs = Array.from({ length: times }, () => job(jobContext(troubled)));
    for (const { status } of await Promise.allSettled(runs)) if (status === 'rejected') note('a job ended');
  }
}

/** Mostly hours forward; sometimes days, and sometimes back beyond the end of the month. */
function jumpOf(random: SeededRandom, note: (trouble: string) => void): number {
  const drawn = random.next();
  if (drawn < 0.1) {
    note('the clock went back');
    return -random.below(4 * DAY_MS);
  }
  return drawn < 0.3 ? 3 * DAY_MS : 13 * HOUR_MS;
}

/** People whose invoice could not be charged enter another card, some of them immediately. */
async function mendSomeCards(
  app: TestApp,
  accounts: readonly TroubledAccount[],
  random: SeededRandom,
  share: number,
): Promise<void> {
  const owing = await app.db
    .selectFrom('invoices')
    .select('organization_id')
    .distinct()
    .where('dunning_reason', 'is not', null)
    .execute();
  for (const { organization_id } of owing) {
    const account = accounts.find(({ id }) => id === organization_id);
    if (!account || random.next() >= share) continue;
    const added = await addPaymentMethod(account.context, {
      setup_intent_id: await enterCard(account.context),
    });
    const newest = added.payment_methods.at(-1)?.id ?? '';
    await setDefaultPaymentMethod(account.context, { payment_method_id: newest });
  }
}

/** Lets everything finish. */
async function calmDown(
  app: TestApp,
  accounts: readonly TroubledAccount[],
  random: SeededRandom,
): Promise<void> {
  const { sandbox } = await openSandbox(app);
  sandbox.faults.clear();
  for (let round = 0; round < CALM_ROUNDS; round += 1) {
    await mendSomeCards(app, accounts, random, 1);
    for (const job of [closeMonths, issueInvoices, collectPayments]) await job(jobContext(app));
    while ((await deliverSandboxEvents(jobContext(app))) > 0) await handleWebhooks(jobContext(app));
    app.clock.advance(13 * HOUR_MS);
  }
  await reconcileBilling(jobContext(app));
}
