import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { describeOrganization } from './get-organization-for-operator.ts';
import { listEdgeChangesOf, lockOrganization } from './queries.ts';
import { type OrganizationDetail, organizationReferenceInput } from './schema.ts';

/**
 * Ends the suspension of an organization and returns it: within a second every edge serves all of it again.
 * One that is not suspended is returned as it is.
 * @throws operator_required, organization_not_found
 */
export async function resumeOrganization(
  context: RequestContext,
  input: z.input<typeof organizationReferenceInput>,
): Promise<OrganizationDetail> {
  requireOperator(context, 'manage');
  const { organization_id } = organizationReferenceInput.parse(input);
  const { app } = context;
  return inUnitOfWork(context, async ({ trx, now, audit, tellEdges }) => {
    const organization = await lockOrganization(trx, organization_id);
    const { suspended_at, suspension_reason } = organization;
    if (suspended_at === null) return describeOrganization(trx, app, organization);
    const values = { suspended_at: null, suspension_reason: null, updated_at: now };
    await trx.updateTable('organizations').set(values).where('id', '=', organization.id).execute();
    await audit({
      action: 'organization.resume',
      resource_type: 'organization',
      resource_id: organization.id,
      organization_id: organization.id,
      before: { suspended_at, reason: suspension_reason },
    });
    const detail = await describeOrganization(trx, app, { ...organization, ...values });
    for (const change of await listEdgeChangesOf(trx, organization.id)) {
      tellEdges(change);
    }
    return detail;
  });
}
