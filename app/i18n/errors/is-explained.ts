import { foreignTextOf, isUnreachable, readError } from './read-error.ts';

/** Whether the server said in words why it refused: not if there is only a status, such as of a proxy's page. */
export function isAnsweredInWords(error: unknown): boolean {
  return readError(error) !== null || foreignTextOf(error)?.startsWith('HTTP ') === false;
}

/** Whether the words of an error say more than that something failed. */
export function isExplained(error: unknown): boolean {
  return isAnsweredInWords(error) || isUnreachable(error);
}
