import type { OrganizationContext, RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findMembership, findOrganization } from './queries.ts';

/**
 * Returns the request's context inside an organization: for a person after checking the membership, for a credential when
 * it is the credential's own organization (with the rights of `write` on the resources in its scopes).
 * @throws unauthenticated; organization_not_found for any organization that is not the actor's
 */
export async function resolveOrganization(
  context: RequestContext,
  organizationId: string,
): Promise<OrganizationContext> {
  const { actor, app } = context;
  switch (actor.kind) {
    case 'anonymous':
      throw new AppError('unauthenticated');
    case 'person': {
      const membership = await findMembership(app.db, actor.userId, organizationId);
      if (!membership) throw new AppError('organization_not_found');
      const features: string[] = JSON.parse(membership.organization.features);
      return {
        ...context,
        organization: { id: organizationId, permission: membership.permission, features },
      };
    }
    case 'credential':
    case 'job': {
      const isForeign = actor.kind === 'credential' && actor.organizationId !== organizationId;
      const organization = isForeign ? null : await findOrganization(app.db, organizationId);
      if (!organization) throw new AppError('organization_not_found');
      const features: string[] = JSON.parse(organization.features);
      return { ...context, organization: { id: organizationId, permission: 'write', features } };
    }
  }
}
