import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { publicAddress } from '#server/s3/object-address.ts';
import { toInstant } from '../../shared/schema.ts';
import { requireBucket } from '../buckets/require-bucket.ts';
import { isReadByAnyone } from '../queries.ts';
import { objectInput, type StoredObject } from '../schema.ts';
import { findObject } from './object-queries.ts';

/**
 * Returns the details of an object.
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found, bucket_not_active,
 * object_not_found
 */
export async function getObject(
  context: OrganizationContext,
  input: z.input<typeof objectInput>,
): Promise<StoredObject> {
  const { bucket_id, key } = objectInput.parse(input);
  const bucket = await requireBucket(context, bucket_id, 'object.read');
  const object = await findObject(context.app.db, bucket.id, key);
  if (object === null) throw new AppError('object_not_found');
  const { 'content-type': content_type = '', ...headers } = object.headers;
  return {
    key,
    size: object.size,
    etag: object.etag,
    modified_at: toInstant(object.modifiedAt),
    content_type,
    headers: readable(headers),
    metadata: readable(object.metadata),
    tags: object.tags.map(([tag, value]) => ({ key: tag, value })),
    part_count: object.partCount,
    public_url: isReadByAnyone(bucket) ? publicAddress(context.app.config.s3Url, bucket.name, key) : null,
    checksum: object.checksum && { algorithm: object.checksum.algorithm, value: object.checksum.value },
  };
}

/** Bytes that are not valid text are kept for clients, and shown as unreadable. */
function readable(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.toWellFormed()]));
}
