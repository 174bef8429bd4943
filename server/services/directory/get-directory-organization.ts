import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findOrganizationByHandle } from './queries.ts';
import { type DirectoryOrganization, directoryOrganizationSchema } from './schema.ts';

/** Returns the public profile of an organization that is managed here. @throws not_found */
export async function getDirectoryOrganization(
  { db }: Pick<App, 'db'>,
  handle: string,
): Promise<DirectoryOrganization> {
  const organization = await findOrganizationByHandle(db, handle);
  if (!organization) throw new AppError('not_found');
  return directoryOrganizationSchema.parse(organization);
}
