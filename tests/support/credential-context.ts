import type { CredentialActor, CredentialScope, OrganizationContext } from '#server/context.ts';

/** Returns the context of a credential of the same organization that can access the given sites. */
export function credentialContext(
  context: OrganizationContext,
  siteIds: readonly string[],
  permissions: CredentialScope['permissions'] = ['read', 'write'],
): OrganizationContext & { actor: CredentialActor } {
  return {
    ...context,
    actor: {
      kind: 'credential',
      credentialId: 'credential-1',
      name: 'CI',
      organizationId: context.organization.id,
      scopes: siteIds.map((id) => ({ resource_type: 'site', resource_id: id, permissions })),
    },
    organization: { ...context.organization, permission: 'write' },
  };
}
