import type { z } from 'zod';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { countOrganizations, findPersonByLogin, listOrganizationsOf } from './queries.ts';
import { type DirectoryPage, directoryPageInput, directoryPageSchema } from './schema.ts';

/**
 * Returns a page of a person's organizations: all of one's own, and of another person those that the viewer
 * belongs to as well. By handle; a page beyond the end is empty.
 * @param viewer the subject of the person who asks
 * @param login whose; absent for the viewer's own
 * @throws not_found for an unknown user name, and equally for a person with no shared organization
 */
export async function listDirectoryOrganizations(
  { db }: Pick<App, 'db'>,
  viewer: string,
  input: z.input<typeof directoryPageInput> & { login?: string },
): Promise<DirectoryPage> {
  const { page, limit } = directoryPageInput.parse(input);
  const subject = input.login === undefined ? viewer : (await findPersonByLogin(db, input.login))?.subject;
  if (subject === undefined) throw new AppError('not_found');
  const total = await countOrganizations(db, subject, viewer);
  if (total === 0 && subject !== viewer) throw new AppError('not_found');
  const offset = (page - 1) * limit;
  // Checked here, because the databases refuse very large offsets.
  const items =
    offset < total ? await listOrganizationsOf(db, subject, { sharedWith: viewer, offset, limit }) : [];
  return directoryPageSchema.parse({ items, total });
}
