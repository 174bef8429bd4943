import { sql } from 'kysely';
import { type Db, isPostgres } from '#db/client.ts';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import { DAY_MS } from '#server/durations.ts';
import { newId } from '#server/ids.ts';
import { type BillingMonth, monthEnd, monthStart } from '#server/services/billing/months/month-rules.ts';

const MODE: BillingMode = 'sandbox';
/** Of the first organization. */
export const ENDPOINTS = 200;
/** Rows per statement; SQLite accepts 32,766 values. */
const ROWS_AT_ONCE = 2_000;

/**
 * Creates organizations with a card, a site and a month of days. The first one has many endpoints, each with
 * its own series, in an ordinary month.
 */
export async function seedOrganizations(db: Db, month: BillingMonth, count: number): Promise<string[]> {
  const start = monthStart(month);
  const ids = Array.from({ length: count }, () => newId(start));
  const common = { mode: MODE, created_at: start, updated_at: start };
  await insertAll(
    ids,
    (id) => ({
      id,
      external_id: `org-${id}`,
      issuer: 'embedded',
      upstream_id: id,
      handle: id.toLowerCase(),
      name: 'Rivers',
      features: '[]',
      created_at: start,
      updated_at: start,
    }),
    (rows) => db.insertInto('organizations').values(rows).execute(),
  );
  await insertAll(
    ids,
    (id) => ({
      organization_id: id,
      mode: MODE,
      name: 'Ada Lovelace',
      email: 'ada@example.ca',
      company: null,
      address_line1: '1 rue Sainte-Catherine',
      address_line2: null,
      city: 'Montréal',
      province: 'QC',
      postal_code: 'H2X 1K4',
      country: 'CA',
      phone: null,
      tax_ids: '{}',
      updated_at: start,
    }),
    (rows) => db.insertInto('billing_contacts').values(rows).execute(),
  );
  await insertAll(
    ids,
    (id) => ({
      ...common,
      organization_id: id,
      provider_id: `cus_${id}`,
      default_payment_method_id: `card-${id}`,
      synced_at: start,
    }),
    (rows) => db.insertInto('billing_customers').values(rows).execute(),
  );
  await insertAll(
    ids,
    (id) => ({
      id: `card-${id}`,
      organization_id: id,
      mode: MODE,
      provider_id: `pm_${id}`,
      brand: 'visa',
      last4: '4242',
      exp_month: 12,
      exp_year: 2099,
      created_at: start,
      removed_at: null,
    }),
    (rows) => db.insertInto('payment_methods').values(rows).execute(),
  );
  const served = ids.flatMap((organization, index) => {
    const site = newId(start);
    const endpoints = index === 0 ? Array.from({ length: ENDPOINTS }, () => newId(start)) : [];
    return [null, ...endpoints].map((endpoint) => ({ organization, site, endpoint }));
  });
  await insertAll(
    served,
    ({ organization, site, endpoint }) => ({
      resource_id: endpoint ?? site,
      resource_type: endpoint === null ? ('site' as const) : ('endpoint' as const),
      organization_id: organization,
      name: 'www.example.ca',
      started_at: start,
      ended_at: null,
    }),
    (rows) => db.insertInto('resource_lifetimes').values(rows).execute(),
  );
  await insertAll(
    [...served.entries()],
    ([index, { organization, site, endpoint }]) => ({
      id: index + 1,
      organization_id: organization,
      endpoint_id: endpoint,
      site_id: site,
      key: `${organization}/${endpoint ?? ''}/${site}`,
    }),
    (rows) => db.insertInto('usage_series').values(rows).execute(),
  );
  const days = Array.from({ length: (monthEnd(month) - start) / DAY_MS }, (_, day) => start + day * DAY_MS);
  const counted = days.flatMap((day) => served.map((_, index) => ({ day, series_id: index + 1 })));
  await insertAll(
    counted,
    ({ day, series_id }) => ({
      series_id,
      day,
      bytes_sent: 1_000_003 * (1 + (series_id % 997)),
      requests: 1_000 + (series_id % 499),
      cache_hits: 0,
      cache_misses: 0,
      status_2xx: 0,
      status_3xx: 0,
      status_4xx: 0,
      status_5xx: 0,
      refused_requests: 0,
      refused_bytes: 0,
    }),
    (rows) => db.insertInto('usage_days').values(rows).execute(),
  );
  // A running installation has statistics; one that was filled at once has none yet.
  if (isPostgres(db)) await sql`analyze`.execute(db);
  return ids;
}

async function insertAll<T, R>(
  items: readonly T[],
  toRow: (item: T) => R,
  insert: (rows: R[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < items.length; at += ROWS_AT_ONCE) {
    await insert(items.slice(at, at + ROWS_AT_ONCE).map(toRow));
  }
}
