import type { z } from 'zod';
import { isUniqueViolation } from '#db/unique-violation.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { principalOf } from '#server/limits/principal.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { enterManagedOrganization } from './enter-managed-organization.ts';
import { toOrganization } from './queries.ts';
import { requireOrganizationRight } from './require-organization-right.ts';
import { type Organization, updateOrganizationInput } from './schema.ts';

/**
 * Stores the given fields of the organization's profile and returns it; absent fields do not change. A new
 * handle frees the old one. Storing the same again changes and records nothing.
 * @throws permission_required, organization_is_personal, organization_managed_elsewhere,
 * organization_handle_taken; too_many_requests for many other handles
 */
export async function updateOrganization(
  context: OrganizationContext,
  input: z.input<typeof updateOrganizationInput>,
): Promise<Organization> {
  requireOrganizationRight(context, 'organization.update');
  const profile = updateOrganizationInput.parse(input);
  const { app } = context;
  try {
    return await inUnitOfWork(context, async ({ trx, now, audit }) => {
      const { organization } = await enterManagedOrganization(trx, context, 'organization.update');
      const known: Record<string, unknown> = { ...organization };
      const changes = Object.entries(profile).filter(
        ([field, value]) => value !== undefined && value !== known[field],
      );
      if (changes.length === 0) return toOrganization(app.config, organization);
      if (changes.some(([field]) => field === 'handle')) {
        await app.rateLimits.consume('organization_rename_principal', principalOf(context) ?? 'nobody');
      }
      const changed = { ...Object.fromEntries(changes), updated_at: now };
      await trx.updateTable('organizations').set(changed).where('id', '=', organization.id).execute();
      await audit({
        action: 'organization.update',
        resource_type: 'organization',
        resource_id: organization.id,
        organization_id: organization.id,
        before: Object.fromEntries(changes.map(([field]) => [field, known[field]])),
        after: Object.fromEntries(changes),
      });
      return toOrganization(app.config, { ...organization, ...changed });
    });
  } catch (error) {
    if (profile.handle !== undefined && isUniqueViolation(error))
      throw new AppError('organization_handle_taken', { handle: profile.handle });
    throw error;
  }
}
