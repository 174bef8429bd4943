import type { z } from 'zod';
import { isPostgres, type Trx } from '#db/client.ts';
import type { OrganizationContext } from '#server/context.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { requireBucket } from '../buckets/require-bucket.ts';
import { REMOVED_AT_ONCE_MAX } from '../rules.ts';
import { deleteObjectsInput, type objectRemovalSchema } from '../schema.ts';
import { dropObjects } from './drop-objects.ts';
import { listObjects } from './object-queries.ts';

/** Objects per transaction: clients of the bucket wait for no more than these. */
const BATCH = 100;
/** Keys listed in the audit log; it counts the others. */
const LOGGED_KEYS_MAX = 10;

/**
 * Deletes objects by their keys, and everything below prefixes, a thousand of the latter at a time: `is_done`
 * says whether to call again. Missing objects are skipped.
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found, bucket_not_active
 */
export async function deleteObjects(
  context: OrganizationContext,
  input: z.input<typeof deleteObjectsInput>,
): Promise<z.infer<typeof objectRemovalSchema>> {
  const { bucket_id, keys, prefixes } = deleteObjectsInput.parse(input);
  const bucket = await requireBucket(context, bucket_id, 'object.write');
  const { app, organization } = context;
  // The given keys do not count: a caller repeats them, and each call deletes more of what is below the prefixes.
  const below = new Set<string>();
  for (const prefix of prefixes) {
    const limit = REMOVED_AT_ONCE_MAX - below.size + 1;
    const found = await listObjects(app.db, bucket.id, { prefix, after: '', limit });
    for (const { key } of found) below.add(key);
    if (below.size > REMOVED_AT_ONCE_MAX) break;
  }
  const isDone = below.size <= REMOVED_AT_ONCE_MAX;
  const chosen = [...new Set([...keys, ...[...below].slice(0, REMOVED_AT_ONCE_MAX)])];
  let removed = 0;
  for (let at = 0; at < chosen.length; at += BATCH) {
    const some = chosen.slice(at, at + BATCH);
    removed += await inUnitOfWork(context, async ({ trx, now, audit }) => {
      const count = await dropKeys(trx, bucket.id, some, now);
      if (count === 0) return 0;
      await audit({
        action: 'bucket.remove_objects',
        resource_type: 'bucket',
        resource_id: bucket.id,
        organization_id: organization.id,
        before: { name: bucket.name, removed_objects: count, keys: some.slice(0, LOGGED_KEYS_MAX) },
      });
      return count;
    });
  }
  return { removed_objects: removed, is_done: isDone };
}

async function dropKeys(trx: Trx, bucketId: string, keys: readonly string[], now: number): Promise<number> {
  const rows = await trx
    .selectFrom('objects')
    .select(['key', 'content_id', 'size'])
    .where('bucket_id', '=', bucketId)
    .where('key', 'in', keys)
    .orderBy('key')
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
  await dropObjects(trx, bucketId, rows, now);
  return rows.length;
}
