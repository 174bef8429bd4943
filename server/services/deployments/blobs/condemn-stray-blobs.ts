import type { App, RequestContext } from '#server/context.ts';
import { ABANDONED_AFTER_MS } from '../rules.ts';

const PORTION = 500;

/**
 * Finds bytes in the store without a row, which a crash between storing and registering can leave, and passes
 * those older than a day to the collector as condemned rows. Returns how many. An upload of the same content
 * pardons the row. What was found before the process stops is still passed on.
 */
export async function condemnStrayBlobs(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ condemned: number }> {
  const storedBefore = app.clock.now() - ABANDONED_AFTER_MS;
  let condemned = 0;
  let portion = new Set<string>();
  for await (const { sha256, storedAt } of app.blobs.list()) {
    if (stopping?.aborted) break;
    if (storedAt < storedBefore) portion.add(sha256);
    if (portion.size >= PORTION) {
      condemned += await condemnUnknown(app, [...portion]);
      portion = new Set();
    }
  }
  return { condemned: condemned + (await condemnUnknown(app, [...portion])) };
}

async function condemnUnknown(app: App, hashes: readonly string[]): Promise<number> {
  if (hashes.length === 0) return 0;
  const rows = await app.db.selectFrom('blobs').select('sha256').where('sha256', 'in', hashes).execute();
  const known = new Set(rows.map((row) => row.sha256));
  const now = app.clock.now();
  const unknown = hashes.filter((sha256) => !known.has(sha256)).sort();
  if (unknown.length === 0) return 0;
  const inserted = await app.db
    .insertInto('blobs')
    .values(
      unknown.map((sha256) => ({
        sha256,
        size: 0,
        created_at: now,
        touched_at: now,
        condemned_at: now,
        removal_started_at: null,
      })),
    )
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .returning('sha256')
    .execute();
  return inserted.length;
}
