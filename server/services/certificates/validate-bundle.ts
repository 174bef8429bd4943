import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { getBundle } from './get-bundle.ts';
import { inspectBundle } from './inspection/inspect-bundle.ts';
import { factOf } from './inspection/inspection-rules.ts';
import { requireBundle } from './require-bundle.ts';
import { type Bundle, bundleInput } from './schema.ts';

/**
 * Inspects the records of a bundle's hostname now, stores the result, and returns the bundle. Issuing begins
 * automatically when the records have become correct.
 * @throws bundle_not_found, out_of_scope, too_many_requests, dns_unavailable when the challenge record could
 * not be looked up
 */
export async function validateBundle(
  context: OrganizationContext,
  input: z.input<typeof bundleInput>,
): Promise<Bundle> {
  requireAction(context, 'certificate.manage');
  const { bundle_id } = bundleInput.parse(input);
  const { app, organization } = context;
  const row = await requireBundle(app.db, context, bundle_id, 'write');
  await app.rateLimits.consume('dns_inspection_organization', organization.id);
  const report = await inspectBundle(context, bundle_id, async ({ audit }, found) => {
    if (factOf(found, 'challenge')?.status === 'unknown') return;
    await audit({
      action: 'certificate.validate',
      resource_type: 'endpoint',
      resource_id: row.endpoint_id ?? row.id,
      organization_id: organization.id,
      after: {
        hostname: row.domain_name,
        dns_validated: found.is_reached,
        dns_challenge_validated: found.is_delegated,
      },
    });
  });
  const challenge = report && factOf(report, 'challenge');
  if (challenge?.status === 'unknown') {
    const reason =
      challenge.problem === 'resolver_timeout' ? 'no name server responds' : 'its name servers fail';
    throw new AppError('dns_unavailable', { name: challenge.name, reason });
  }
  return getBundle(context, { bundle_id });
}
