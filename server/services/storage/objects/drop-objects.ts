import type { Trx } from '#db/client.ts';
import { noteChange } from '../buckets/note-change.ts';
import { giveUpContents } from '../pieces/give-up-content.ts';

/** Deletes objects whose rows the transaction has read, and locked if the database does not do so itself. */
export async function dropObjects(
  trx: Trx,
  bucketId: string,
  objects: readonly { key: string; content_id: string; size: number }[],
  now: number,
): Promise<void> {
  if (objects.length === 0) return;
  await removeObjects(trx, bucketId, objects, now);
  const bytes = -objects.reduce((sum, { size }) => sum + size, 0);
  await noteChange(trx, bucketId, { objects: -objects.length, bytes, now });
}

/** Deletes the rows of objects and gives up their content, without recording that the bucket has changed. */
export async function removeObjects(
  trx: Trx,
  bucketId: string,
  objects: readonly { key: string; content_id: string }[],
  now: number,
): Promise<void> {
  await giveUpContents(
    trx,
    objects.map(({ content_id }) => content_id),
    now,
  );
  const keys = objects.map(({ key }) => key);
  await trx.deleteFrom('objects').where('bucket_id', '=', bucketId).where('key', 'in', keys).execute();
}
