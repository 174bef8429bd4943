import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { cursorUnknown, readTextCursor, toPage, toTextCursor } from '../../shared/pages.ts';
import { toInstant } from '../../shared/schema.ts';
import { requireBucket } from '../buckets/require-bucket.ts';
import { selectUploads } from '../objects/object-queries.ts';
import { isObjectKey, UPLOAD_KEPT_DAYS } from '../rules.ts';
import { listUploadsInput, type uploadPageSchema } from '../schema.ts';
import { findLogins, listPartSums } from './upload-queries.ts';

/**
 * Returns a page of the uploads in parts that are not completed, by key.
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found, bucket_not_active;
 * invalid_input for an invalid cursor
 */
export async function listUploads(
  context: OrganizationContext,
  input: z.input<typeof listUploadsInput>,
): Promise<z.infer<typeof uploadPageSchema>> {
  const { bucket_id, cursor, limit } = listUploadsInput.parse(input);
  const bucket = await requireBucket(context, bucket_id, 'object.read');
  const { db } = context.app;
  const after = readUploadCursor(cursor);
  const rows = await selectUploads(db, bucket.id, { prefix: '', ...after, limit: limit + 1 });
  const { page, next_cursor } = toPage(rows, limit, ({ id, key }) => toTextCursor(`${id} ${key}`));
  const sums = await listPartSums(
    db,
    page.map(({ id }) => id),
  );
  const people = page.filter(({ initiator_kind }) => initiator_kind === 'person');
  const logins = await findLogins(
    db,
    people.map(({ initiator_id }) => initiator_id ?? ''),
  );
  const items = page.map((row) => {
    const { id, key, initiator_kind: kind, initiator_id: by, created_at } = row;
    const parts = sums.get(id);
    return {
      id,
      key,
      started_by:
        kind === null || by === null
          ? null
          : { kind, id: by, name: row.initiator_name ?? logins.get(by) ?? null },
      started_at: toInstant(created_at),
      part_count: parts?.count ?? 0,
      stored_bytes: parts?.bytes ?? 0,
      last_part_at: toInstant(parts?.lastPartAt ?? null),
      expires_at: toInstant(created_at + UPLOAD_KEPT_DAYS * DAY_MS),
    };
  });
  return { items, next_cursor };
}

function readUploadCursor(cursor: string | undefined): { afterKey: string; afterId: string } {
  if (cursor === undefined) return { afterKey: '', afterId: '' };
  const [, afterId = '', afterKey = ''] = /^([\w-]{1,64}) (.+)$/s.exec(readTextCursor(cursor)) ?? [];
  if (afterKey === '' || !isObjectKey(afterKey)) throw cursorUnknown();
  return { afterKey, afterId };
}
