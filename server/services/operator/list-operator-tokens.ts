import { type RequestContext, requireOperator } from '#server/context.ts';
import { toOperatorToken } from './queries.ts';
import type { OperatorToken } from './schema.ts';

/**
 * Returns every operator token, including expired and revoked ones, newest first.
 * @throws operator_required
 */
export async function listOperatorTokens(context: RequestContext): Promise<OperatorToken[]> {
  requireOperator(context, 'manage');
  const rows = await context.app.db
    .selectFrom('operator_tokens')
    .select(['id', 'name', 'access', 'created_at', 'last_used_at', 'expires_at', 'revoked_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(toOperatorToken);
}
