import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireBucketScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { decideCors, findCorsRefusal } from '#server/s3/cors/decide-cors.ts';
import { listHeaderNames } from '#server/s3/cors/header-names.ts';
import { findBucket, readCorsRules } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';
import { type CorsCheck, checkCorsInput } from '../schema.ts';

/**
 * Determines whether a browser would allow a page's script to use the bucket in this way, with the S3
 * service's own decision by the saved rules.
 * @throws bucket_not_found, out_of_scope, feature_missing
 */
export async function checkCors(
  context: OrganizationContext,
  input: z.input<typeof checkCorsInput>,
): Promise<CorsCheck> {
  requireAction(context, 'bucket.read');
  requireStorage(context);
  const { bucket_id, origin, method, headers } = checkCorsInput.parse(input);
  requireBucketScope(context, bucket_id, 'read');
  const row = await findBucket(context.app.db, context.organization.id, bucket_id);
  if (row === null) throw new AppError('bucket_not_found');
  const rules = readCorsRules(row.cors_rules);
  const question = { origin, method, headers: listHeaderNames(headers.toLowerCase()) };
  const allowed = decideCors(rules, question);
  if (allowed !== null) return { is_allowed: true, refused_part: null, answer_headers: allowed };
  const refused_part = rules.length === 0 ? 'rules' : findCorsRefusal(rules, question);
  return { is_allowed: false, refused_part, answer_headers: {} };
}
