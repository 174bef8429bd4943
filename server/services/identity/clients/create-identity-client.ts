import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId, newToken } from '#server/ids.ts';
import { toInstant } from '../../shared/schema.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { type CreateIdentityClientResult, createIdentityClientInput } from '../schema.ts';

const SECRET_PREFIX = 'ptgcs_';

/**
 * Allows another program to sign people in with the embedded identity service and returns it with its secret,
 * which no later response contains: it is stored sealed, bound to the row.
 * @throws operator_required; invalid_input for an invalid address, and when another issuer signs people in
 */
export async function createIdentityClient(
  context: RequestContext,
  input: z.input<typeof createIdentityClientInput>,
): Promise<CreateIdentityClientResult> {
  requireOperator(context, 'manage');
  const { name, redirect_uris } = createIdentityClientInput.parse(input);
  const { app } = context;
  if (app.config.oidc) {
    throw new AppError('invalid_input', {
      reason: 'this installation has no accounts of its own: OIDC_ISSUER is set',
    });
  }
  const secret = `${SECRET_PREFIX}${newToken()}`;
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const clientId = newId(now);
    await trx
      .insertInto('identity_clients')
      .values({
        client_id: clientId,
        name,
        secret_sealed: app.sealer.seal(secret, clientId),
        redirect_uris: JSON.stringify(redirect_uris),
        created_at: now,
      })
      .execute();
    await audit({
      action: 'identity_client.create',
      resource_type: 'identity_client',
      resource_id: clientId,
      organization_id: null,
      after: { name, redirect_uris },
    });
    const client = { client_id: clientId, name, redirect_uris, created_at: toInstant(now) };
    return { client, client_secret: secret };
  });
}
