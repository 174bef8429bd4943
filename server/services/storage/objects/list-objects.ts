import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { listFolded } from '#server/s3/listings/list-folded.ts';
import { cursorUnknown, readTextCursor, toTextCursor } from '../../shared/pages.ts';
import { toInstant } from '../../shared/schema.ts';
import { requireBucket } from '../buckets/require-bucket.ts';
import { isObjectKey } from '../rules.ts';
import { listObjectsInput, type objectPageSchema } from '../schema.ts';
import { listObjects as queryObjects } from './object-queries.ts';

/**
 * Returns a page of what is directly below a prefix: objects, and folders for names with the same text up to
 * the next slash.
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found, bucket_not_active;
 * invalid_input for an invalid cursor
 */
export async function listObjects(
  context: OrganizationContext,
  input: z.input<typeof listObjectsInput>,
): Promise<z.infer<typeof objectPageSchema>> {
  const { bucket_id, prefix, search, cursor, limit } = listObjectsInput.parse(input);
  const bucket = await requireBucket(context, bucket_id, 'object.read');
  const { db } = context.app;
  const { objects, prefixes, next } = await listFolded(
    { listObjects: ({ id }, query) => queryObjects(db, id, query) },
    { id: bucket.id, ownerId: context.organization.id },
    {
      prefix: prefix + search,
      delimiter: '/',
      after: readKeyCursor(cursor),
      max: limit,
    },
  );
  const items = [
    ...prefixes.map((key) => ({ kind: 'folder' as const, key })),
    ...objects.map(({ key, size, etag, modifiedAt }) => ({
      kind: 'object' as const,
      key,
      size,
      etag,
      modified_at: toInstant(modifiedAt),
    })),
  ].sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
  return { items, next_cursor: next === null ? null : toTextCursor(next) };
}

function readKeyCursor(cursor: string | undefined): string {
  if (cursor === undefined) return '';
  const after = readTextCursor(cursor);
  if (after === '' || !isObjectKey(after)) throw cursorUnknown();
  return after;
}
