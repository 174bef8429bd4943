import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { toInstant } from '../../shared/schema.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findAccountByEmail } from '../queries.ts';
import { createResetLinkInput, type ResetLink } from '../schema.ts';
import { createMailLink } from './mail-links.ts';

/**
 * Returns a link for an account's owner to choose a new password, for an operator to pass on when no email is
 * sent. It works once within an hour, and invalidates older ones.
 * @throws not_found when the embedded identity service has no such account; unauthenticated,
 * operator_required
 */
export async function createResetLink(
  context: RequestContext,
  input: z.input<typeof createResetLinkInput>,
): Promise<ResetLink> {
  requireOperator(context, 'manage');
  const { app } = context;
  const { email } = createResetLinkInput.parse(input);
  return inUnitOfWork(context, async ({ trx, audit }) => {
    const account = app.config.oidc === null ? await findAccountByEmail(trx, email) : null;
    if (!account) throw new AppError('not_found');
    const { link, expiresAt } = await createMailLink(trx, app, account, 'reset_password');
    await audit({
      action: 'account.reset_link',
      resource_type: 'account',
      resource_id: String(account.number),
      organization_id: null,
    });
    return { link, expires_at: toInstant(expiresAt) };
  });
}
