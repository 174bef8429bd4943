import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { ADDRESS_KEPT_DAYS, AUDIT_KEPT_DAYS, shortenAddress } from './rules.ts';

/** Rows of one statement: other work runs between two of them. */
const ROWS_AT_ONCE = 500;
/** Stores up to when addresses have been shortened, so that no run reads a whole year again. */
const SHORTENED_UNTIL = 'audit-addresses-shortened-until';

/**
 * Removes events older than a year and shortens the addresses of those older than 30 days, of every
 * organization and of none. Safe to repeat and to interrupt: each statement is short and independent. Returns
 * how many.
 */
export async function pruneAuditEvents(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ removed: number; shortened: number }> {
  const now = app.clock.now();
  const removed = await removeOld(app.db, now - AUDIT_KEPT_DAYS * DAY_MS, stopping);
  const shortened = await shortenOld(app.db, now - ADDRESS_KEPT_DAYS * DAY_MS, now, stopping);
  return { removed, shortened };
}

async function removeOld(db: Db, before: number, stopping?: AbortSignal): Promise<number> {
  let removed = 0;
  while (!stopping?.aborted) {
    const { numDeletedRows } = await db
      .deleteFrom('audit_events')
      .where('id', 'in', (eb) =>
        eb.selectFrom('audit_events').select('id').where('at', '<', before).orderBy('at').limit(ROWS_AT_ONCE),
      )
      .executeTakeFirstOrThrow();
    removed += Number(numDeletedRows);
    if (numDeletedRows < ROWS_AT_ONCE) break;
    await nextTurn();
  }
  return removed;
}

async function shortenOld(db: Db, before: number, now: number, stopping?: AbortSignal): Promise<number> {
  const known = await db
    .selectFrom('installation_values')
    .select('value')
    .where('name', '=', SHORTENED_UNTIL)
    .executeTakeFirst();
  let from = Number(known?.value ?? 0);
  let last = '';
  let shortened = 0;
  while (!stopping?.aborted) {
    const rows = await db
      .selectFrom('audit_events')
      .select(['id', 'at', 'address'])
      .where('at', '<', before)
      .where((eb) => eb.or([eb('at', '>', from), eb.and([eb('at', '=', from), eb('id', '>', last)])]))
      .orderBy('at')
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute();
    const idsByNetwork = new Map<string, string[]>();
    for (const { id, address } of rows) {
      if (address === null || address.includes('/')) continue;
      const network = shortenAddress(address);
      const ids = idsByNetwork.get(network);
      if (ids) ids.push(id);
      else idsByNetwork.set(network, [id]);
    }
    for (const [network, ids] of idsByNetwork) {
      await db.updateTable('audit_events').set({ address: network }).where('id', 'in', ids).execute();
      shortened += ids.length;
    }
    const end = rows.at(-1);
    if (!end) break;
    from = end.at;
    last = end.id;
    await rememberUntil(db, from, now);
    await nextTurn();
  }
  return shortened;
}

/** The rows of that exact millisecond are read again next time, so that none is left out. */
async function rememberUntil(db: Db, until: number, now: number): Promise<void> {
  const value = String(until);
  await db
    .insertInto('installation_values')
    .values({ name: SHORTENED_UNTIL, value, created_at: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
