import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { mailLinkInput } from '../schema.ts';
import { findMailLink } from './mail-links.ts';

/**
 * Returns whose password a link resets, without using it up.
 * @throws mail_link_invalid when it does not, or no longer does
 */
export async function getResetLink(
  { app }: RequestContext,
  input: z.input<typeof mailLinkInput>,
): Promise<{ email: string }> {
  const { token } = mailLinkInput.parse(input);
  const found = await findMailLink(app.db, app, token, 'reset_password');
  if (!found || found.link.used_at !== null) throw new AppError('mail_link_invalid');
  return { email: found.account.email };
}
