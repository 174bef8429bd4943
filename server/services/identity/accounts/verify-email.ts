import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { mailLinkInput } from '../schema.ts';
import { findMailLink, useUpMailLink } from './mail-links.ts';

/**
 * Records that the person who opened the link reads the account's address, and returns that address. When
 * opened again before it expires, the link returns the same and changes nothing.
 * @throws mail_link_invalid
 */
export async function verifyEmail(
  context: RequestContext,
  input: z.input<typeof mailLinkInput>,
): Promise<{ email: string }> {
  const { app } = context;
  const { token } = mailLinkInput.parse(input);
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const found = await findMailLink(trx, app, token, 'verify_email');
    if (!found) throw new AppError('mail_link_invalid');
    const { account, link } = found;
    const isFirst = await useUpMailLink(trx, app, link.token_hash);
    if (!isFirst) return { email: account.email };
    const verified = await trx
      .updateTable('identity_accounts')
      .set({ email_verified_at: now, awaits_verification: 0, updated_at: now })
      .where('number', '=', account.number)
      .where('email_key', '=', account.email_key)
      .executeTakeFirst();
    if (verified.numUpdatedRows === 0n) throw new AppError('mail_link_invalid');
    await audit({
      action: 'account.verify_email',
      resource_type: 'account',
      resource_id: String(account.number),
      organization_id: null,
      after: { email: account.email },
    });
    return { email: account.email };
  });
}
