import type { Executor } from '#db/client.ts';
import type {
  CredentialActor,
  JobActor,
  OperatorActor,
  OrganizationContext,
  RequestContext,
} from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findMembership, findOrganization, type OrganizationRow } from './queries.ts';
import type { Permission } from './rules.ts';

/**
 * Returns the request's context inside an organization: for a person after checking the membership, for a
 * credential when it is the credential's own organization (with the rights of `write` on the resources in its
 * scopes), for an operator in every one (as `admin`, or as `read` with a read-only token).
 * @throws unauthenticated; organization_not_found for any organization that is not the actor's
 */
export async function resolveOrganization(
  context: RequestContext,
  organizationId: string,
  executor: Executor = context.app.db,
): Promise<OrganizationContext> {
  const { actor } = context;
  switch (actor.kind) {
    case 'anonymous':
      throw new AppError('unauthenticated');
    case 'person': {
      const membership = await findMembership(executor, actor.userId, organizationId);
      if (!membership) throw new AppError('organization_not_found');
      return enter(context, membership.organization, membership.permission);
    }
    case 'credential':
    case 'operator':
    case 'job': {
      const isForeign = actor.kind === 'credential' && actor.organizationId !== organizationId;
      const organization = isForeign ? null : await findOrganization(executor, organizationId);
      if (!organization) throw new AppError('organization_not_found');
      // No one is left who could revoke a credential.
      const isOrphaned = actor.kind === 'credential' && organization.detached_at !== null;
      if (isOrphaned) throw new AppError('organization_not_found');
      return enter(context, organization, permissionOf(actor));
    }
  }
}

function permissionOf(actor: CredentialActor | OperatorActor | JobActor): Permission {
  if (actor.kind !== 'operator') return 'write';
  return actor.access === 'manage' ? 'admin' : 'read';
}

function enter(context: RequestContext, row: OrganizationRow, permission: Permission): OrganizationContext {
  const features: string[] = JSON.parse(row.features);
  const isSuspended = row.suspended_at !== null;
  return { ...context, organization: { id: row.id, permission, features, isSuspended } };
}
