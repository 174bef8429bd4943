import type { App } from '#server/context.ts';

/**
 * Prepares a new bucket: it is active once the store has been written to successfully. If the store fails,
 * the bucket is left in the state error with the reason, and the job tries again.
 */
export async function prepareBucket(app: App, bucketId: string): Promise<void> {
  const move = (
    from: readonly ('pending' | 'creating' | 'error')[],
    to: 'creating' | 'active' | 'error',
    reason: string | null,
  ) =>
    app.db
      .updateTable('buckets')
      .set({ status: to, status_reason: reason, updated_at: app.clock.now() })
      .where('id', '=', bucketId)
      .where('status', 'in', [...from])
      .executeTakeFirst();
  const { numUpdatedRows } = await move(['pending', 'error', 'creating'], 'creating', null);
  if (numUpdatedRows === 0n) return;
  try {
    await app.blobs.check();
  } catch (error) {
    app.logger.error({ err: error, bucket_id: bucketId }, 'a bucket could not be made ready');
    await move(['creating'], 'error', error instanceof Error ? error.message.slice(0, 500) : 'unknown');
    return;
  }
  await move(['creating'], 'active', null);
}
