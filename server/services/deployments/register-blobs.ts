import { sql } from 'kysely';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { mapConcurrently } from '#server/map-concurrently.ts';

/** How many blobs one transaction registers; it waits for as many look-ups in the store. */
const REGISTERED_AT_ONCE = 200;
const LOOKUPS_AT_ONCE = 32;

interface StoredContent {
  sha256: string;
  size: number;
}

/**
 * Records that the organization has sent content which is durable in the store. Returns the hashes whose bytes are gone
 * all the same and have to be sent again: empty, unless the collector removed them between the upload and this call.
 *
 * Why nothing is lost: the collector removes bytes only while it holds the lock of a row it has condemned. Here the row is
 * written first (a condemned one is pardoned, or waited for until it is gone), and the bytes are looked at while this
 * transaction holds its lock. After the commit the row is young and no collector touches it.
 */
export async function registerBlobs(
  app: App,
  organizationId: string,
  blobs: readonly StoredContent[],
): Promise<string[]> {
  const unique = [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()];
  // One order for everybody, so that two uploads never wait for each other in a circle.
  unique.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  const gone: string[] = [];
  for (let start = 0; start < unique.length; start += REGISTERED_AT_ONCE) {
    gone.push(...(await registerPart(app, organizationId, unique.slice(start, start + REGISTERED_AT_ONCE))));
  }
  return gone;
}

async function registerPart(app: App, organizationId: string, blobs: StoredContent[]): Promise<string[]> {
  const now = app.clock.now();
  return inTransaction(app.db, async (trx) => {
    const keepUnlessCondemned = (column: 'brotli_size' | 'gzip_size' | 'encoded_at') =>
      sql<
        number | null
      >`case when blobs.condemned_at is null then ${sql.ref(`blobs.${column}`)} else null end`;
    await trx
      .insertInto('blobs')
      .values(
        blobs.map(({ sha256, size }) => ({
          sha256,
          size,
          brotli_size: null,
          gzip_size: null,
          encoded_at: null,
          created_at: now,
          touched_at: now,
          condemned_at: null,
        })),
      )
      .onConflict((conflict) =>
        conflict.column('sha256').doUpdateSet({
          touched_at: now,
          condemned_at: null,
          brotli_size: keepUnlessCondemned('brotli_size'),
          gzip_size: keepUnlessCondemned('gzip_size'),
          encoded_at: keepUnlessCondemned('encoded_at'),
        }),
      )
      .execute();
    const isThere = await mapConcurrently(blobs, LOOKUPS_AT_ONCE, ({ sha256 }) =>
      app.blobs.has(sha256, 'identity'),
    );
    const present = blobs.filter((_, index) => isThere[index]).map((blob) => blob.sha256);
    const gone = blobs.filter((_, index) => !isThere[index]).map((blob) => blob.sha256);
    if (present.length > 0) {
      await trx
        .insertInto('organization_blobs')
        .values(present.map((sha256) => ({ organization_id: organizationId, sha256, created_at: now })))
        .onConflict((conflict) => conflict.columns(['organization_id', 'sha256']).doNothing())
        .execute();
    }
    if (gone.length > 0) {
      await trx.deleteFrom('organization_blobs').where('sha256', 'in', gone).execute();
      await trx.updateTable('blobs').set({ condemned_at: now }).where('sha256', 'in', gone).execute();
    }
    return gone;
  });
}
