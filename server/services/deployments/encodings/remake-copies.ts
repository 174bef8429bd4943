import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import type { BlobEncoding } from '#server/store/blob-store.ts';
import { encodeBlob } from './encode-blob.ts';

/**
 * Recreates the encoded copies of one blob if one of them is not in the store as recorded for its
 * organizations. Returns whether it did; the recorded sizes are then correct.
 */
export async function remakeCopies(app: App, sha256: string): Promise<boolean> {
  const rows = await app.db
    .selectFrom('organization_blobs')
    .select(['size', 'brotli_size', 'gzip_size'])
    .distinct()
    .where('sha256', '=', sha256)
    .where('encoded_at', 'is not', null)
    .execute();
  const [first] = rows;
  if (!first) return false;
  const isStored = async (encoding: BlobEncoding, sizes: (number | null)[]): Promise<boolean> => {
    const recorded = sizes.filter((size) => size !== null);
    if (recorded.length === 0) return true;
    const handle = await app.blobs.open(sha256, encoding);
    await handle?.close();
    return recorded.every((size) => size === handle?.size);
  };
  const isWhole =
    (await isStored(
      'br',
      rows.map((row) => row.brotli_size),
    )) &&
    (await isStored(
      'gzip',
      rows.map((row) => row.gzip_size),
    ));
  if (isWhole) return false;
  const copies = await encodeBlob(app, { sha256, size: first.size });
  if (!copies) return false;
  const { brotli_size, gzip_size } = copies;
  await app.blobs.settle();
  await inTransaction(app.db, async (trx) => {
    await trx
      .updateTable('organization_blobs')
      .set({ brotli_size, gzip_size })
      .where('sha256', '=', sha256)
      .where('encoded_at', 'is not', null)
      .execute();
  });
  return true;
}
