import type { User } from '#server/services/identity/schema.ts';
import { isPersonal } from '#server/services/organizations/rules.ts';
import type { Organization } from '#server/services/organizations/schema.ts';

/** Returns the displayed name of an organization: a personal workspace has its person's name. */
export function nameOfOrganization(organization: Organization, user: User): string {
  return isPersonal(organization.external_id) ? user.full_name || user.login : organization.name;
}
