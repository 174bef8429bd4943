import { describe, expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import { DAY_MS } from '#server/durations.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { insertOpenInvoice, SANDBOX_BILLING, setUpBilling } from '#tests/support/billing/billing.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { createSite } from '../sites/create-site.ts';
import { getInstallationHealth } from './get-installation-health.ts';
import { getInstallationUsage } from './get-installation-usage.ts';
import { forgetMachine, noteMachine } from './note-machine.ts';
import {
  MACHINE_KEPT_MS,
  MACHINE_REPORT_MS,
  MACHINE_SILENT_MS,
  OPERATED_USAGE_DAYS,
  QUEUE_NAMES,
} from './rules.ts';

const MAIL = { MAIL_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'portage@example.ca' };
const NO_COUNTS = {
  cache_hits: 0,
  cache_misses: 0,
  status_2xx: 0,
  status_3xx: 0,
  status_4xx: 0,
  refused_requests: 0,
  refused_bytes: 0,
};

describe('the health of the installation', () => {
  it('lists its dependencies and whether they respond', async () => {
    const app = await createTestApp({ environment: MAIL });
    const { dependencies, processes, billing } = await getInstallationHealth(operatorContext(app, 'read'));
    expect(dependencies).toEqual([
      { name: 'database', is_up: true, is_full: false, is_read_only: false },
      { name: 'store', is_up: true, is_full: false, is_read_only: false },
      { name: 'mail', is_up: false, is_full: false, is_read_only: false },
    ]);
    expect(processes).toEqual([]);
    expect(billing).toEqual({
      mode: 'off',
      last_run: null,
      open_invoices: 0,
      held_invoices: 0,
      disputed_invoices: 0,
      rejected_refunds: 0,
    });
  });

  it('says for each queue how much is due and since when', async () => {
    const app = await createTestApp({ environment: MAIL });
    const { context } = await createTestPerson(app);
    const site = await createSite(context, { name: 'blog' });
    await deployTestFiles(context, site.id, { 'index.html': 'x'.repeat(2_000) });
    const since = app.clock.now();
    for (const resource_id of ['1', '2']) {
      await inTransaction(app.db, (trx) =>
        queueMail(trx, app, {
          recipient: 'ada@example.ca',
          message: { subject: 'x', text: 'x', html: 'x', languages: ['en-CA'] },
          resource_type: 'account',
          resource_id,
        }),
      );
    }
    app.clock.advance(90_000);
    const { queues } = await getInstallationHealth(operatorContext(app));
    expect(queues.map(({ queue }) => queue)).toEqual([...QUEUE_NAMES]);
    const oldest_at = new Date(since).toISOString();
    expect(queues.filter(({ waiting }) => waiting > 0)).toEqual([
      { queue: 'mails', waiting: 2, oldest_at },
      { queue: 'encoded_copies', waiting: 1, oldest_at },
    ]);
  });

  it('shows the billing mode, the last run, and what is unpaid or held', async () => {
    const app = await createTestApp({ environment: SANDBOX_BILLING });
    const [ada, ben] = [await createTestPerson(app), await createTestPerson(app)];
    for (const { context } of [ada, ben]) await setUpBilling(context);
    // Each closes February; the first of them is then changed to January.
    await insertOpenInvoice(ada.context);
    const held = await insertOpenInvoice(ben.context);
    await app.db.updateTable('invoices').set({ hold_reason: 'x' }).where('id', '=', held).execute();
    await app.db
      .updateTable('billing_months')
      .set({ month: 1, invoice_id: null })
      .where('organization_id', '=', ada.organization.id)
      .execute();
    const { billing } = await getInstallationHealth(operatorContext(app));
    expect(billing).toEqual({
      mode: 'sandbox',
      last_run: { month: '2026-02', organizations: 1, closed_at: '2026-03-01T12:00:00.000Z' },
      open_invoices: 2,
      held_invoices: 1,
      disputed_invoices: 0,
      rejected_refunds: 0,
    });
  });

  it('is for operators', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const refused = { code: 'operator_required' };
    await expect(getInstallationHealth(context)).rejects.toMatchObject(refused);
    await expect(getInstallationUsage(context)).rejects.toMatchObject(refused);
  });
});

describe('the usage of the installation', () => {
  it('adds up what all sites served on each of thirty days, quiet ones included', async () => {
    const app = await createTestApp();
    const today = Math.floor(app.clock.now() / DAY_MS) * DAY_MS;
    for (const [series_id, day, requests] of [
      [1, today, 2],
      [2, today, 3],
      [1, today - 29 * DAY_MS, 7],
      [1, today - 30 * DAY_MS, 100],
    ] as const) {
      const counts = { ...NO_COUNTS, requests, bytes_sent: requests * 1000, status_5xx: 1 };
      await app.db
        .insertInto('usage_days')
        .values({ series_id, day, ...counts })
        .execute();
    }
    const { days } = await getInstallationUsage(operatorContext(app, 'read'));
    expect(days).toHaveLength(OPERATED_USAGE_DAYS);
    expect(days.at(-1)).toEqual({ day: '2026-03-01', requests: 5, bytes_sent: 5000, errors: 2 });
    expect(days[0]).toEqual({ day: '2026-01-31', requests: 7, bytes_sent: 7000, errors: 1 });
    expect(days.slice(1, -1).every(({ requests }) => requests === 0)).toBe(true);
  });
});

describe('other machines', () => {
  const JOBS = [{ name: 'jobs', is_ready: true, is_silent: false, starts: 1 }];
  /** Returns the app as another machine of the same installation has it. */
  const elsewhere = (app: TestApp, dataDir: string) => ({ ...app, config: { ...app.config, dataDir } });
  const listed = async (app: TestApp) => (await getInstallationHealth(operatorContext(app))).machines;

  it('are listed with their processes while they report, and this one is not among them', async () => {
    const app = await createTestApp();
    const other = elsewhere(app, '/other');
    await noteMachine(app, 'run', JOBS);
    await noteMachine(other, 'run', [{ name: 'jobs', is_ready: false, is_silent: false, starts: 1 }]);
    app.clock.advance(MACHINE_REPORT_MS);
    await noteMachine(other, 'run', JOBS);
    const seen_at = new Date(app.clock.now()).toISOString();
    expect(await listed(app)).toMatchObject([{ is_alive: true, seen_at, processes: JOBS }]);
  });

  it('are known to be silent after a few missed reports, and forgotten after a day', async () => {
    const app = await createTestApp();
    await noteMachine(elsewhere(app, '/other'), 'run', JOBS);
    app.clock.advance(MACHINE_SILENT_MS);
    expect(await listed(app)).toMatchObject([{ is_alive: false }]);
    app.clock.advance(MACHINE_KEPT_MS);
    await noteMachine(app, 'run', JOBS);
    expect(await listed(app)).toEqual([]);
  });

  it('are forgotten at once when they stop, but not when a new process has taken over', async () => {
    const app = await createTestApp();
    const other = elsewhere(app, '/other');
    await noteMachine(other, 'first', JOBS);
    await noteMachine(other, 'second', JOBS);
    await forgetMachine(other, 'first');
    expect(await listed(app)).toHaveLength(1);
    await forgetMachine(other, 'second');
    expect(await listed(app)).toEqual([]);
  });
});
