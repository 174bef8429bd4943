import type { App } from '#server/context.ts';
import { listPermissions } from './queries.ts';

/**
 * Returns the `groups` claim of a person: `{handle}:{permission}` for each organization. The permission is
 * always included, so that a reader cannot take a read-only member for one who may make changes.
 */
export async function listDirectoryGroups({ db }: Pick<App, 'db'>, subject: string): Promise<string[]> {
  const permissions = await listPermissions(db, subject);
  return permissions.map(({ handle, permission }) => `${handle}:${permission}`);
}
