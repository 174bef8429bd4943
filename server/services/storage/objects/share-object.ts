import type { z } from 'zod';
import { type OrganizationContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { toInstant } from '../../shared/schema.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { requireBucket } from '../buckets/require-bucket.ts';
import { type sharedLinkSchema, shareObjectInput } from '../schema.ts';
import { findObject } from './object-queries.ts';
import { addressOf } from './sign-object.ts';

/**
 * Returns a link with which anyone may read an object until it expires, as long as its creator belongs to the
 * organization.
 * @throws person_required, permission_required, feature_missing, bucket_not_found, bucket_not_active,
 * object_not_found
 */
export async function shareObject(
  context: OrganizationContext,
  input: z.input<typeof shareObjectInput>,
): Promise<z.infer<typeof sharedLinkSchema>> {
  const { bucket_id, key, expires_in_seconds } = shareObjectInput.parse(input);
  const { userId } = requirePerson(context);
  const bucket = await requireBucket(context, bucket_id, 'object.share');
  const { app, organization } = context;
  if ((await findObject(app.db, bucket.id, key)) === null) throw new AppError('object_not_found');
  const now = app.clock.now();
  const expires_at = toInstant(now + expires_in_seconds * 1_000);
  await inUnitOfWork(context, ({ audit }) =>
    audit({
      action: 'bucket.share_object',
      resource_type: 'bucket',
      resource_id: bucket.id,
      organization_id: organization.id,
      after: { name: bucket.name, key, expires_at },
    }),
  );
  const given = { userId, bucket, key, now, expiresInSeconds: expires_in_seconds };
  return { url: addressOf(context, given, { method: 'GET' }), expires_at };
}
