import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findPerson } from './queries.ts';
import { type DirectoryPerson, directoryPersonSchema } from './schema.ts';

/**
 * Returns the person whose token a program uses: everything that another installation may know.
 * @throws not_found
 */
export async function getDirectoryPerson({ db }: Pick<App, 'db'>, subject: string): Promise<DirectoryPerson> {
  const person = await findPerson(db, subject);
  if (!person) throw new AppError('not_found');
  return directoryPersonSchema.parse(person);
}
