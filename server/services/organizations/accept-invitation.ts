import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { invitationTokenInput, Membership } from './schema.ts';

export async function acceptInvitation(
  _context: RequestContext,
  _input: z.input<typeof invitationTokenInput>,
): Promise<Membership> {
  throw new AppError('internal');
}
