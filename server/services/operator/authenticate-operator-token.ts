import type { App, OperatorActor } from '#server/context.ts';
import { MINUTE_MS } from '#server/durations.ts';
import { AppError } from '#server/errors.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import { hashOperatorToken } from './create-operator-token.ts';
import { isUsableToken } from './rules.ts';

/** The precision of `last_used_at`. */
const LAST_USED_STEP_MS = MINUTE_MS;

export interface PresentedOperatorToken {
  token: string;
  /**
   * The client's address: failures are limited per address, and a valid token is never refused because of
   * them.
   */
  address: string;
}

/**
 * Returns the actor of an operator token in its current state: expiry and revocation apply to the next
 * request. The token is looked up by its hash, so an unknown, a revoked and an expired one take the same
 * path, and timing reveals nothing about any token.
 * @throws credential_invalid, too_many_requests
 */
export async function authenticateOperatorToken(
  app: App,
  { token, address }: PresentedOperatorToken,
): Promise<OperatorActor> {
  const row = await app.db
    .selectFrom('operator_tokens')
    .selectAll()
    .where('token_hash', '=', hashOperatorToken(token))
    .executeTakeFirst();
  const now = app.clock.now();
  if (!row || !isUsableToken(row, now)) {
    await app.rateLimits.consume('operator_failure_address', addressKey(address));
    throw new AppError('credential_invalid');
  }
  if (row.last_used_at === null || now - row.last_used_at >= LAST_USED_STEP_MS) {
    await app.db
      .updateTable('operator_tokens')
      .set({ last_used_at: now })
      .where('id', '=', row.id)
      .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', now)]))
      .execute();
  }
  return { kind: 'operator', tokenId: row.id, name: row.name, access: row.access };
}
