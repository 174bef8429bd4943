import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { readOwnLimits } from '../limits/limit-queries.ts';
import { LIMIT_NAMES } from '../limits/rules.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { describeOrganization } from './get-organization-for-operator.ts';
import { lockOrganization } from './queries.ts';
import { type OrganizationDetail, setLimitsInput } from './schema.ts';

/**
 * Sets limits of an organization and returns it: a number, or null for the installation's default. Absent
 * limits do not change. What is above a lowered limit stays; nothing can be added to it. Setting the same
 * again changes and records nothing.
 * @throws operator_required, organization_not_found
 */
export async function setOrganizationLimits(
  context: RequestContext,
  input: z.input<typeof setLimitsInput>,
): Promise<OrganizationDetail> {
  requireOperator(context, 'manage');
  const { organization_id, limits } = setLimitsInput.parse(input);
  const { app } = context;
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const organization = await lockOrganization(trx, organization_id);
    const before = readOwnLimits(organization.limits);
    const after = Object.fromEntries(
      LIMIT_NAMES.flatMap((name) => {
        const value = limits[name] === undefined ? before[name] : limits[name];
        return typeof value === 'number' ? [[name, value]] : [];
      }),
    );
    if (JSON.stringify(after) === JSON.stringify(before)) return describeOrganization(trx, app, organization);
    const values = { limits: JSON.stringify(after), updated_at: now };
    await trx.updateTable('organizations').set(values).where('id', '=', organization.id).execute();
    await audit({
      action: 'organization.limits',
      resource_type: 'organization',
      resource_id: organization.id,
      organization_id: organization.id,
      before,
      after,
    });
    return describeOrganization(trx, app, { ...organization, ...values });
  });
}
