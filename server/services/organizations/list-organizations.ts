import { type RequestContext, requirePerson } from '#server/context.ts';
import { listMemberships, toOrganization } from './queries.ts';
import type { Membership } from './schema.ts';

/** Returns the signed-in person's memberships: the personal workspace first, then by name. */
export async function listOrganizations(context: RequestContext): Promise<Membership[]> {
  const person = requirePerson(context);
  const memberships = await listMemberships(context.app.db, person.userId);
  return memberships.map(({ organization, permission }) => ({
    organization: toOrganization(context.app.config, organization),
    permission,
  }));
}
