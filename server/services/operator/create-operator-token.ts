import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { newId, newToken } from '#server/ids.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { toOperatorToken } from './queries.ts';
import { OPERATOR_TOKEN_PREFIX } from './rules.ts';
import { type CreateOperatorTokenResult, createOperatorTokenInput } from './schema.ts';

const TOKEN_BYTES = 32;

/**
 * Creates an operator token and returns it with the token itself, which no later response contains: only its
 * SHA-256 is stored, because nothing ever has to be signed with it.
 * @throws operator_required, invalid_input
 */
export async function createOperatorToken(
  context: RequestContext,
  input: z.input<typeof createOperatorTokenInput>,
): Promise<CreateOperatorTokenResult> {
  requireOperator(context, 'manage');
  const { name, access, expires_in_days } = createOperatorTokenInput.parse(input);
  const { app } = context;
  const now = app.clock.now();
  const token = `${OPERATOR_TOKEN_PREFIX}${newToken(TOKEN_BYTES)}`;
  const row = {
    id: newId(now),
    name,
    token_hash: hashOperatorToken(token),
    access,
    created_at: now,
    last_used_at: null,
    expires_at: expires_in_days ? now + expires_in_days * DAY_MS : null,
    revoked_at: null,
  };
  await inUnitOfWork(context, async ({ trx, audit }) => {
    await trx.insertInto('operator_tokens').values(row).execute();
    await audit({
      action: 'operator_token.create',
      resource_type: 'operator_token',
      resource_id: row.id,
      organization_id: null,
      after: { name, access, expires_at: row.expires_at },
    });
  });
  return { operator_token: toOperatorToken(row), token };
}

/** Returns the form in which a token is stored. It is 256 random bits, so a fast hash is enough. */
export function hashOperatorToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
