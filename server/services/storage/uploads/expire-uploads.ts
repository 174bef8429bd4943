import type { RequestContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { UPLOAD_KEPT_DAYS } from '../rules.ts';
import { abortUpload } from './write-upload.ts';

const BATCH = 100;

/** Aborts multipart uploads that began a week ago and were never completed. */
export async function expireUploads({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  let expired = 0;
  for (;;) {
    const rows = await app.db
      .selectFrom('object_uploads')
      .select(['bucket_id', 'key', 'id'])
      .where('created_at', '<', app.clock.now() - UPLOAD_KEPT_DAYS * DAY_MS)
      .limit(BATCH)
      .execute();
    for (const { bucket_id, ...upload } of rows) {
      if (stopping.aborted) return expired;
      await abortUpload(app, bucket_id, upload);
      expired += 1;
    }
    if (rows.length < BATCH) return expired;
  }
}
