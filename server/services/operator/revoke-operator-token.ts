import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { toOperatorToken } from './queries.ts';
import { type OperatorToken, operatorTokenInput } from './schema.ts';

/**
 * Revokes an operator token for good and returns it: the next request with it is refused, on every node.
 * Revoking again changes and records nothing.
 * @throws operator_required, credential_not_found
 */
export async function revokeOperatorToken(
  context: RequestContext,
  input: z.input<typeof operatorTokenInput>,
): Promise<OperatorToken> {
  requireOperator(context, 'manage');
  const { token_id } = operatorTokenInput.parse(input);
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const revoked = await trx
      .updateTable('operator_tokens')
      .set({ revoked_at: now })
      .where('id', '=', token_id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    const row = await trx
      .selectFrom('operator_tokens')
      .selectAll()
      .where('id', '=', token_id)
      .executeTakeFirst();
    if (!row) throw new AppError('credential_not_found');
    if (revoked.numUpdatedRows > 0n) {
      await audit({
        action: 'operator_token.revoke',
        resource_type: 'operator_token',
        resource_id: token_id,
        organization_id: null,
        before: { name: row.name, access: row.access },
      });
    }
    return toOperatorToken(row);
  });
}
