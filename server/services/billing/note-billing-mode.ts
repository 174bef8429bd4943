import { sql } from 'kysely';
import type { Db } from '#db/client.ts';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import { inTransaction } from '#db/transaction.ts';
import type { Config } from '#server/config/config.ts';
import { dayOf } from '../usage/rules.ts';
import {
  type BillingTerms,
  readStoragePrices,
  SINCE_VALUE,
  STORAGE_PRICES_VALUE,
} from './months/billing-terms.ts';
import { monthOf } from './months/month-rules.ts';
import { noteStoragePrice } from './months/storage-price-rules.ts';
import type { Registrations } from './months/tax-rules.ts';
import { SET_UP_WITHIN_MS } from './rules.ts';

const MODE_VALUE = 'billing_mode';
/** Where the operator collects taxes, as JSON. */
const REGISTRATIONS_VALUE = 'tax_registrations';
const MODES = ['sandbox', 'test', 'live'] as const satisfies readonly BillingMode[];

/**
 * Notes at the start with whose money is billed, which taxes are collected and what storage costs, for edges on other machines.
 * When the money changes, organizations that are there already are not locked out: they have 30 days to set up billing, and are
 * told so. Returns how many those are.
 */
export async function noteBillingMode(db: Db, config: Config, now: number): Promise<number> {
  const mode = config.billing.mode;
  return inTransaction(db, async (trx) => {
    const set = (name: string, value: string) =>
      trx
        .insertInto('installation_values')
        .values({ name, value, created_at: now })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }));
    const rows = await trx
      .selectFrom('installation_values')
      .select(['name', 'value'])
      .where('name', 'in', [MODE_VALUE, STORAGE_PRICES_VALUE])
      .execute();
    const before = new Map(rows.map(({ name, value }) => [name, value]));
    await set(REGISTRATIONS_VALUE, JSON.stringify(config.billing.registrations)).execute();
    const isBeginning = (before.get(MODE_VALUE) ?? 'off') !== (mode ?? 'off');
    if (isBeginning) await set(MODE_VALUE, mode ?? 'off').execute();
    if (mode === null) return 0;
    const known = readStoragePrices(before.get(STORAGE_PRICES_VALUE));
    const noted = noteStoragePrice(known, config.billing.storageMillicents, monthOf(now), isBeginning);
    if (noted !== known) await set(STORAGE_PRICES_VALUE, JSON.stringify(noted)).execute();
    if (!isBeginning) return 0;
    const organization = await trx.selectFrom('organizations').select('id').limit(1).executeTakeFirst();
    // An installation without organizations has no earlier usage: the first day counts from its beginning.
    const since = organization === undefined ? dayOf(now) : now;
    await set(`${SINCE_VALUE}${mode}`, String(since)).execute();
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('billing_notices')
      .columns(['organization_id', 'mode', 'kind', 'created_at', 'due_at', 'told_at'])
      .expression((eb) =>
        eb
          .selectFrom('organizations')
          .select([
            'organizations.id',
            sql.lit(mode).as('mode'),
            sql.lit('set_up').as('kind'),
            sql.lit(now).as('created_at'),
            sql.lit(now + SET_UP_WITHIN_MS).as('due_at'),
            sql<null>`cast(null as bigint)`.as('told_at'),
          ])
          .where('organizations.detached_at', 'is', null)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('billing_customers')
                  .select('billing_customers.mode')
                  .whereRef('billing_customers.organization_id', '=', 'organizations.id')
                  .where('billing_customers.mode', '=', mode),
              ),
            ),
          ),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'mode', 'kind'])
          .doUpdateSet({ created_at: now, due_at: now + SET_UP_WITHIN_MS, told_at: null }),
      )
      .executeTakeFirst();
    return Number(numInsertedOrUpdatedRows ?? 0n);
  });
}

/** How the installation bills, as its console has noted it: an edge on another machine may have no such settings. */
export interface NotedBilling extends BillingTerms {
  mode: BillingMode;
  registrations: Registrations;
}

/** Returns the stored billing settings; null when nothing is billed. */
export async function findNotedBilling(db: Db): Promise<NotedBilling | null> {
  const rows = await db
    .selectFrom('installation_values')
    .select(['name', 'value'])
    .where('name', 'in', [
      ...[MODE_VALUE, REGISTRATIONS_VALUE, STORAGE_PRICES_VALUE],
      ...MODES.map((mode) => `${SINCE_VALUE}${mode}`),
    ])
    .execute();
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  const mode = MODES.find((known) => known === values.get(MODE_VALUE));
  if (mode === undefined) return null;
  return {
    mode,
    registrations: JSON.parse(values.get(REGISTRATIONS_VALUE) ?? '{}'),
    since: Number(values.get(`${SINCE_VALUE}${mode}`) ?? 0),
    storagePrices: readStoragePrices(values.get(STORAGE_PRICES_VALUE)),
  };
}
