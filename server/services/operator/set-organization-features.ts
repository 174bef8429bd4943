import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { describeOrganization } from './get-organization-for-operator.ts';
import { lockOrganization } from './queries.ts';
import { isFeature } from './rules.ts';
import { type OrganizationDetail, setFeaturesInput } from './schema.ts';

/**
 * Sets exactly these features of an organization and returns it. Features that it already has may stay, even
 * when this program no longer knows them. Setting the same again changes and records nothing.
 * @throws operator_required, organization_not_found, feature_unknown
 */
export async function setOrganizationFeatures(
  context: RequestContext,
  input: z.input<typeof setFeaturesInput>,
): Promise<OrganizationDetail> {
  requireOperator(context, 'manage');
  const { organization_id, features } = setFeaturesInput.parse(input);
  const wanted = [...new Set(features)].sort();
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const organization = await lockOrganization(trx, organization_id);
    const before: string[] = JSON.parse(organization.features);
    const unknown = wanted.find((feature) => !isFeature(feature) && !before.includes(feature));
    if (unknown !== undefined) throw new AppError('feature_unknown', { feature: unknown });
    if ([...before].sort().join() === wanted.join())
      return describeOrganization(trx, context.app, organization);
    const values = { features: JSON.stringify(wanted), updated_at: now };
    await trx.updateTable('organizations').set(values).where('id', '=', organization.id).execute();
    await audit({
      action: 'organization.features',
      resource_type: 'organization',
      resource_id: organization.id,
      organization_id: organization.id,
      before: { features: before },
      after: { features: wanted },
    });
    return describeOrganization(trx, context.app, { ...organization, ...values });
  });
}
