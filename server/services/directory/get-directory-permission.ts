import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Permission } from '../organizations/rules.ts';
import { findOrganizationByHandle, findPermission, findPersonByLogin } from './queries.ts';
import { directoryPermissionSchema } from './schema.ts';

/**
 * Returns a person's permission in an organization: one's own anywhere (null when not a member), another
 * person's when both are members.
 * @param viewer the subject of the person who asks
 * @throws not_found for anyone and anything else, whether it exists or not
 */
export async function getDirectoryPermission(
  { db }: Pick<App, 'db'>,
  viewer: string,
  { login, handle }: { login: string; handle: string },
): Promise<Permission | null> {
  const person = await findPersonByLogin(db, login);
  const organization = await findOrganizationByHandle(db, handle);
  if (!person || !organization) throw new AppError('not_found');
  const permission = await findPermission(db, person.subject, organization.handle);
  if (person.subject !== viewer) {
    const own = await findPermission(db, viewer, organization.handle);
    if (own === null || permission === null) throw new AppError('not_found');
  }
  return directoryPermissionSchema.parse(permission);
}
