import type { App } from '#server/context.ts';
import { listPermissions } from './queries.ts';

/**
 * Returns what the `groups` claim says of a person: `{handle}:{permission}` for each organization. The permission is never
 * left out, so that no reader takes a member who only looks for one who may change things.
 */
export async function listDirectoryGroups({ db }: Pick<App, 'db'>, subject: string): Promise<string[]> {
  const permissions = await listPermissions(db, subject);
  return permissions.map(({ handle, permission }) => `${handle}:${permission}`);
}
