import type { RequestContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { UPLOAD_KEPT_DAYS } from './rules.ts';
import { abortUpload } from './write-upload.ts';

const BATCH = 100;

/** Aborts multipart uploads that began a week ago and were never completed. */
export async function expireUploads({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  let expired = 0;
  for (;;) {
    const rows = await app.db
      .selectFrom('object_uploads')
      .select(['bucket_id', 'id'])
      .where('created_at', '<', app.clock.now() - UPLOAD_KEPT_DAYS * DAY_MS)
      .limit(BATCH)
      .execute();
    for (const { bucket_id, id } of rows) {
      if (stopping.aborted) return expired;
      // It may be completed at this moment.
      await abortUpload(app, bucket_id, id).catch((error: unknown) => {
        if (!(error instanceof S3Error) || error.code !== 'NoSuchUpload') throw error;
      });
      expired += 1;
    }
    if (rows.length < BATCH) return expired;
  }
}
