import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { describeOrganization } from './get-organization-for-operator.ts';
import { listEdgeChangesOf, lockOrganization } from './queries.ts';
import { type OrganizationDetail, suspendOrganizationInput } from './schema.ts';

/**
 * Suspends an organization and returns it: within a second no edge serves its sites, previews and hostnames,
 * and its members can see everything, including the reason, but change nothing. Suspending again only changes
 * the reason.
 * @throws operator_required, organization_not_found
 */
export async function suspendOrganization(
  context: RequestContext,
  input: z.input<typeof suspendOrganizationInput>,
): Promise<OrganizationDetail> {
  requireOperator(context, 'manage');
  const { organization_id, reason } = suspendOrganizationInput.parse(input);
  const { app } = context;
  return inUnitOfWork(context, async ({ trx, now, audit, tellEdges }) => {
    const organization = await lockOrganization(trx, organization_id);
    const { suspended_at, suspension_reason } = organization;
    if (suspended_at !== null && suspension_reason === reason)
      return describeOrganization(trx, app, organization);
    const values = { suspended_at: suspended_at ?? now, suspension_reason: reason, updated_at: now };
    await trx.updateTable('organizations').set(values).where('id', '=', organization.id).execute();
    await audit({
      action: 'organization.suspend',
      resource_type: 'organization',
      resource_id: organization.id,
      organization_id: organization.id,
      before: { suspended_at, reason: suspension_reason },
      after: { suspended_at: values.suspended_at, reason },
    });
    const detail = await describeOrganization(trx, app, { ...organization, ...values });
    for (const change of await listEdgeChangesOf(trx, organization.id)) {
      tellEdges(change);
    }
    return detail;
  });
}
