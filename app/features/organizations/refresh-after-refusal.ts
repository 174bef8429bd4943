import type { QueryKey } from '@tanstack/react-query';
import type { ErrorCode } from '#server/error-codes.ts';
import { lookForUpdate } from '../../console-update.ts';
import { isUnauthenticated, readError } from '../../i18n/errors/read-error.ts';
import type { TrpcUtils } from '../../trpc.ts';

/** Refusals that mean that the page's data about organizations is outdated. */
const OUTDATED: ReadonlySet<ErrorCode> = new Set([
  'organization_not_found',
  'organization_suspended',
  'permission_required',
]);

/** What a server answers to the pages of an earlier program, if the two do not go together. */
const MISUNDERSTOOD: ReadonlySet<ErrorCode> = new Set(['not_found', 'invalid_input', 'internal']);

/**
 * Reads again what should have predicted a refusal: a membership or a permission that ended, a suspension,
 * the end of the session; or that the console was updated. It then shows on the page, instead of in one failure after another. A refused
 * change keeps its form: only a query that finds the session ended reads the person again.
 */
export function refreshAfterRefusal(trpc: TrpcUtils, error: unknown, queryKey?: QueryKey): void {
  const code = readError(error)?.code;
  if (code && OUTDATED.has(code)) void trpc.organizations.list.invalidate();
  if (code && MISUNDERSTOOD.has(code)) void lookForUpdate();
  if (queryKey && !isOfPerson(queryKey) && isUnauthenticated(error)) void trpc.user.me.invalidate();
}

/** Whether the query is the one for the person itself, which would trigger itself forever. */
function isOfPerson([path]: QueryKey): boolean {
  return Array.isArray(path) && path.join('.') === 'user.me';
}
