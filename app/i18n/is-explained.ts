import { isUnreachable, readError } from './read-error.ts';

/** Whether the words of an error say more than that something failed. */
export function isExplained(error: unknown): boolean {
  return readError(error) !== null || isUnreachable(error);
}
