import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { createOrganization } from '#server/services/organizations/create-organization.ts';
import { resolveOrganization } from '#server/services/organizations/resolve-organization.ts';
import type { Permission } from '#server/services/organizations/rules.ts';
import type { createOrganizationInput } from '#server/services/organizations/schema.ts';
import { createTestPerson, joinOrganization, type TestPerson } from './test-person.ts';

let nextHandle = 1;

/** Creates a named organization and returns its owner's context in it. */
export async function createNamedOrganization(
  owner: TestPerson,
  profile: Partial<z.input<typeof createOrganizationInput>> = {},
): Promise<OrganizationContext> {
  const handle = `organization-${nextHandle++}`;
  const { organization } = await createOrganization(owner.context, {
    name: 'Rivers',
    handle,
    ...profile,
  });
  return enterOrganization(owner, organization.id);
}

/**
 * Returns a person's context in an organization in its current state.
 * @throws organization_not_found for a non-member
 */
export function enterOrganization(person: TestPerson, organizationId: string): Promise<OrganizationContext> {
  return resolveOrganization({ ...person.context, actor: person.actor }, organizationId);
}

/** Makes a new person a member and returns the person and the context in the organization. */
export async function createMember(
  { app, organization }: OrganizationContext,
  permission: Permission,
  identity: Parameters<typeof createTestPerson>[1] = {},
): Promise<{ person: TestPerson; context: OrganizationContext }> {
  const person = await createTestPerson(app, identity);
  return { person, context: await joinOrganization(person, organization.id, permission) };
}

/** Suspends an organization, like an operator. */
export async function suspendOrganization({ app, organization }: OrganizationContext): Promise<void> {
  await app.db
    .updateTable('organizations')
    .set({ suspended_at: app.clock.now(), suspension_reason: 'unpaid' })
    .where('id', '=', organization.id)
    .execute();
}
