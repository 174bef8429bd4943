import type { z } from 'zod';
import { isUniqueViolation } from '#db/unique-violation.ts';
import { type OrganizationContext, requireAction, requireSiteScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { findBundlesOfEndpoints } from './find-bundles.ts';
import { insertBundle } from './insert-bundle.ts';
import { type Bundle, endpointOfBundleInput } from './schema.ts';
import { toBundle } from './to-bundle.ts';

/**
 * Creates the certificate bundle of an endpoint that has none, and returns it: endpoints of an earlier
 * release have none.
 * @throws endpoint_not_found, out_of_scope, bundle_exists
 */
export async function createBundle(
  context: OrganizationContext,
  input: z.input<typeof endpointOfBundleInput>,
): Promise<Bundle> {
  requireAction(context, 'certificate.manage');
  const { endpoint_id } = endpointOfBundleInput.parse(input);
  const { app, organization } = context;
  try {
    return await inUnitOfWork(context, async ({ trx, audit }) => {
      const endpoint = await trx
        .selectFrom('cdn_endpoints')
        .select(['id', 'organization_id', 'hostname', 'site_id'])
        .where('id', '=', endpoint_id)
        .where('organization_id', '=', organization.id)
        .executeTakeFirst();
      if (!endpoint) throw new AppError('endpoint_not_found');
      if (context.actor.kind === 'credential') {
        if (endpoint.site_id === null) throw new AppError('endpoint_not_found');
        requireSiteScope(context, endpoint.site_id, 'write');
      }
      await insertBundle(trx, app, endpoint);
      await audit({
        action: 'certificate.create',
        resource_type: 'endpoint',
        resource_id: endpoint.id,
        organization_id: organization.id,
        after: { hostname: endpoint.hostname },
      });
      const bundle = (await findBundlesOfEndpoints(trx, [endpoint.id])).get(endpoint.id);
      if (!bundle) throw new AppError('endpoint_not_found');
      return toBundle(app, bundle);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('bundle_exists');
    throw error;
  }
}
