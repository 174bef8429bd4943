import type { CredentialActor, CredentialScope, OrganizationContext } from '#server/context.ts';
import { createCredential } from '#server/services/credentials/create-credential.ts';

type CredentialContext = OrganizationContext & { actor: CredentialActor };

/** Returns the context of a credential of the same organization that can access the given sites. */
export function credentialContext(
  context: OrganizationContext,
  siteIds: readonly string[],
  permissions: CredentialScope['permissions'] = ['read', 'write'],
): CredentialContext {
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

/** Returns the same of a credential that exists, for what looks at it again before it changes something. */
export async function storedCredentialContext(
  context: OrganizationContext,
  siteIds: readonly string[],
): Promise<CredentialContext> {
  const like = credentialContext(context, siteIds);
  const scopes = siteIds.map((id) => ({
    resource_type: 'site' as const,
    resource_id: id,
    permissions: ['read' as const, 'write' as const],
  }));
  const { credential } = await createCredential(context, { name: like.actor.name, scopes });
  return { ...like, actor: { ...like.actor, credentialId: credential.id } };
}
