import { sql } from 'kysely';
import type { Db } from '#db/client.ts';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import { inTransaction } from '#db/transaction.ts';
import type { Config } from '#server/config/config.ts';
import { SET_UP_WITHIN_MS } from './rules.ts';
import type { Registrations } from './tax-rules.ts';

const MODE_VALUE = 'billing_mode';
/** Where the operator collects taxes, as JSON. */
const REGISTRATIONS_VALUE = 'tax_registrations';
const MODES = ['sandbox', 'test', 'live'] as const satisfies readonly BillingMode[];
/** Followed by the mode: when it began to bill. */
const SINCE_VALUE = 'billing_since_';

/**
 * Stores at the start the billing mode and the taxes to collect, for edges on other machines. When the mode
 * changes, existing organizations are not locked out: they have 30 days to set up billing, and are notified.
 * Returns how many those are.
 */
export async function noteBillingMode(db: Db, config: Config, now: number): Promise<number> {
  const mode = config.billing.mode;
  return inTransaction(db, async (trx) => {
    const set = (name: string, value: string) =>
      trx
        .insertInto('installation_values')
        .values({ name, value, created_at: now })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }));
    const before = await trx
      .selectFrom('installation_values')
      .select('value')
      .where('name', '=', MODE_VALUE)
      .executeTakeFirst();
    await set(REGISTRATIONS_VALUE, JSON.stringify(config.billing.registrations)).execute();
    if ((before?.value ?? 'off') === (mode ?? 'off')) return 0;
    await set(MODE_VALUE, mode ?? 'off').execute();
    if (mode === null) return 0;
    await set(`${SINCE_VALUE}${mode}`, String(now)).execute();
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

/** Returns when a mode began to bill: earlier usage is free. */
export async function findBillingStart(db: Db, mode: string): Promise<number> {
  const row = await db
    .selectFrom('installation_values')
    .select('value')
    .where('name', '=', `${SINCE_VALUE}${mode}`)
    .executeTakeFirst();
  return Number(row?.value ?? 0);
}

/** The billing settings as stored by the console: an edge on another machine may have no such settings. */
export interface NotedBilling {
  mode: BillingMode;
  registrations: Registrations;
}

/** Returns the stored billing settings; null when nothing is billed. */
export async function findNotedBilling(db: Db): Promise<NotedBilling | null> {
  const rows = await db
    .selectFrom('installation_values')
    .select(['name', 'value'])
    .where('name', 'in', [MODE_VALUE, REGISTRATIONS_VALUE])
    .execute();
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  const mode = MODES.find((known) => known === values.get(MODE_VALUE));
  if (mode === undefined) return null;
  return { mode, registrations: JSON.parse(values.get(REGISTRATIONS_VALUE) ?? '{}') };
}
