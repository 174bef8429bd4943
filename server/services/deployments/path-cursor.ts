import { AppError } from '#server/errors.ts';

/** Returns the path after which a page begins; '' for the first. @throws invalid_input */
export function readPathCursor(cursor: string | undefined): string {
  const after = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString();
  // No path contains one, and PostgreSQL refuses to look for it.
  if (after.includes('\0')) throw new AppError('invalid_input', { reason: 'the cursor is unknown' });
  return after;
}

/** Returns the cursor of the page after a path. */
export function toPathCursor(path: string): string {
  return Buffer.from(path).toString('base64url');
}
