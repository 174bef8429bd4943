import type { z } from 'zod';
import { type OrganizationContext, requirePerson } from '#server/context.ts';
import { uriEncode } from '#server/s3/signature/canonical-request.ts';
import { type PresignedRequest, presign } from '#server/s3/signature/presign.ts';
import { toInstant } from '../../shared/schema.ts';
import { consoleKeys } from '../buckets/console-access.ts';
import { requireBucket } from '../buckets/require-bucket.ts';
import type { BucketRow } from '../queries.ts';
import { CONSOLE_ADDRESS_SECONDS, REGION } from '../rules.ts';
import { type signedAddressesSchema, signObjectInput } from '../schema.ts';

type Asked = Pick<PresignedRequest, 'method' | 'query'>;

/**
 * Returns addresses with which a page of the console reads or writes an object directly at the S3 service,
 * within the person's own permissions: content never passes through the console.
 * @throws person_required, permission_required, feature_missing, bucket_not_found, bucket_not_active
 */
export async function signObject(
  context: OrganizationContext,
  input: z.input<typeof signObjectInput>,
): Promise<z.infer<typeof signedAddressesSchema>> {
  const asked = signObjectInput.parse(input);
  const { userId } = requirePerson(context);
  const isReading = asked.operation === 'get';
  const bucket = await requireBucket(context, asked.bucket_id, isReading ? 'object.read' : 'object.write');
  const now = context.app.clock.now();
  const urls = requestsOf(asked).map((request) =>
    addressOf(
      context,
      { userId, bucket, key: asked.key, now, expiresInSeconds: CONSOLE_ADDRESS_SECONDS },
      request,
    ),
  );
  return { urls, expires_at: toInstant(now + CONSOLE_ADDRESS_SECONDS * 1_000) };
}

/** Returns an address signed for a person; it grants what that person may do when it is used. */
export function addressOf(
  { app, organization }: OrganizationContext,
  given: { userId: string; bucket: BucketRow; key: string; now: number; expiresInSeconds: number },
  asked: Asked,
): string {
  const { userId, bucket, key, now, expiresInSeconds } = given;
  return presign({
    ...asked,
    ...consoleKeys(app, { organizationId: organization.id, userId, bucketId: bucket.id }),
    endpoint: app.config.s3Url,
    region: REGION,
    bucket: bucket.name,
    key,
    now,
    expiresInSeconds,
  });
}

function requestsOf(asked: z.output<typeof signObjectInput>): Asked[] {
  switch (asked.operation) {
    case 'get':
      return [
        {
          method: 'GET',
          query: {
            'response-content-disposition': dispositionOf(asked.disposition, asked.key),
            ...(asked.content_type !== undefined && { 'response-content-type': asked.content_type }),
          },
        },
      ];
    case 'put':
      return [{ method: 'PUT' }];
    case 'create_upload':
      return [{ method: 'POST', query: { uploads: '' } }];
    case 'upload_parts':
      return asked.part_numbers.map((number) => ({
        method: 'PUT',
        query: { partNumber: String(number), uploadId: asked.upload_id },
      }));
    case 'list_parts':
      return [
        {
          method: 'GET',
          query: { uploadId: asked.upload_id, 'part-number-marker': String(asked.after_part) },
        },
      ];
    case 'complete_upload':
      return [{ method: 'POST', query: { uploadId: asked.upload_id } }];
    case 'abort_upload':
      return [{ method: 'DELETE', query: { uploadId: asked.upload_id } }];
  }
}

/** The last part of the key as the file's name (RFC 6266, section 4.3). */
function dispositionOf(kind: 'inline' | 'attachment', key: string): string {
  const name = key.split('/').findLast((part) => part !== '') ?? key;
  return `${kind}; filename*=UTF-8''${uriEncode(name)}`;
}
