import type { QueryKey } from '@tanstack/react-query';
import type { ErrorCode } from '#server/error-codes.ts';
import { isUnauthenticated, readError } from '../../i18n/read-error.ts';
import type { TrpcUtils } from '../../trpc.ts';

/** Refusals that say that the page's picture of the organizations is old. */
const OUTDATED: ReadonlySet<ErrorCode> = new Set([
  'organization_not_found',
  'organization_suspended',
  'permission_required',
]);

/**
 * Asks again for what a refusal should have been foretold by: a membership or a permission that ended, a suspension, the
 * end of the session. It then shows on the page, instead of in one failure after the other. A refused change keeps its
 * form: only a query that finds the session ended asks for the person again.
 */
export function refreshAfterRefusal(trpc: TrpcUtils, error: unknown, queryKey?: QueryKey): void {
  const code = readError(error)?.code;
  if (code && OUTDATED.has(code)) void trpc.organizations.list.invalidate();
  if (queryKey && !isOfPerson(queryKey) && isUnauthenticated(error)) void trpc.user.me.invalidate();
}

/** Whether the query is the one for the person itself, which would ask for itself for ever. */
function isOfPerson([path]: QueryKey): boolean {
  return Array.isArray(path) && path.join('.') === 'user.me';
}
