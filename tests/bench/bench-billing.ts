import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { loadConfig } from '#server/config/config.ts';
import type { App, OrganizationContext, RequestContext } from '#server/context.ts';
import { createApp } from '#server/create-app.ts';
import { DAY_MS } from '#server/durations.ts';
import { newId } from '#server/ids.ts';
import { createLogger } from '#server/logging/logger.ts';
import { issueInvoices } from '#server/services/billing/invoices/issue-invoice.ts';
import { closeMonths } from '#server/services/billing/months/close-months.ts';
import { getCost } from '#server/services/billing/months/get-cost.ts';
import { addMonths, monthEnd, monthOf } from '#server/services/billing/months/month-rules.ts';
import { collectPayments } from '#server/services/billing/payments/collect-payment.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { startPostgres } from '#tests/support/runner/postgres-server.ts';
import { benchLimit } from './bench-limit.ts';
import { type BenchResult, percentile } from './bench-result.ts';
import { instantProvider } from './instant-provider.ts';
import { ENDPOINTS, seedOrganizations } from './seed-billing.ts';

const ORGANIZATIONS = 10_000;
const RUNS = 40;
const WARMING_RUNS = 4;

/**
 * The end of a month for ten thousand organizations, the requests of a page meanwhile, on both databases, and
 * the cost of a limit at the edge.
 */
export async function benchBilling(organizations = ORGANIZATIONS): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-billing-'));
  const postgres = await startPostgres();
  try {
    return [
      ...(await benchMonthEnd('SQLite', `sqlite:${join(folder, 'portage.sqlite')}`, folder, organizations)),
      ...(await benchMonthEnd('PostgreSQL', postgres.url, folder, organizations)),
      ...(await benchLimit()),
    ];
  } finally {
    await postgres.stop();
    await removeFolder(folder);
  }
}

async function benchMonthEnd(
  engine: string,
  databaseUrl: string,
  folder: string,
  organizations: number,
): Promise<BenchResult[]> {
  const db = openDatabase(databaseUrl);
  try {
    await migrateToLatest(db);
    const config = loadConfig({
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl,
      BILLING_MODE: 'sandbox',
      TAX_REGISTRATIONS: 'GST:123456789RT0001,QST:1234567890TQ0001',
    });
    const created = await createApp(config, db, createLogger('warn'));
    const month = addMonths(monthOf(Date.now()), -1);
    const ids = await seedOrganizations(db, month, organizations);
    const provider = instantProvider();
    // A day after the end of the month; the provider responds immediately, so that only our own work is
    // measured.
    const clock = { now: () => monthEnd(month) + DAY_MS };
    const payments = {
      mode: 'sandbox',
      publishableKey: '',
      open: async () => ({ provider, sandbox: null }),
    } as const;
    const app: App = { ...created, clock, payments };
    const { seconds, ownSeconds } = await billAll(app);
    const paid = await db.selectFrom('invoices').select('id').where('status', '=', 'paid').execute();
    if (paid.length !== organizations) throw new Error(`${paid.length} invoices were paid`);
    const [large = ''] = ids;
    const live = await measureCost({ ...app, clock: { now: () => monthEnd(month) - DAY_MS } }, large);
    return [
      {
        name: `${organizations} invoices closed, issued and charged, ${engine}`,
        value: seconds,
        unit: 's',
        target: '< 60 s',
      },
      {
        name: `of them, processor time of the program without its database server, ${engine}`,
        value: ownSeconds,
        unit: 's',
        target: '< 60 s',
      },
      {
        name: `cost to date with ${ENDPOINTS} endpoints p95, ${engine}`,
        value: live,
        unit: 'ms',
        target: '< 50 ms',
      },
    ];
  } finally {
    await db.destroy();
  }
}

async function billAll(app: App): Promise<{ seconds: number; ownSeconds: number }> {
  const context: RequestContext = {
    app,
    actor: { kind: 'job', name: 'bench' },
    requestId: newId(),
    address: '',
  };
  const startedAt = performance.now();
  const spentBefore = process.cpuUsage();
  for (const run of [closeMonths, issueInvoices, collectPayments]) await run(context);
  const { user, system } = process.cpuUsage(spentBefore);
  return { seconds: (performance.now() - startedAt) / 1_000, ownSeconds: (user + system) / 1e6 };
}

async function measureCost(app: App, organizationId: string): Promise<number> {
  const context: OrganizationContext = {
    app,
    actor: { kind: 'job', name: 'bench' },
    requestId: newId(),
    address: '',
    organization: { id: organizationId, permission: 'owner', features: [], isSuspended: false },
  };
  const samples: number[] = [];
  for (let index = 0; index < WARMING_RUNS + RUNS; index += 1) {
    const startedAt = performance.now();
    const { cdn_endpoint_count } = await getCost(context);
    if (cdn_endpoint_count !== ENDPOINTS) throw new Error(`${cdn_endpoint_count} endpoints are billed`);
    if (index >= WARMING_RUNS) samples.push(performance.now() - startedAt);
  }
  return percentile(samples, 0.95);
}
