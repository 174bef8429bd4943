import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { InvitationPreview, invitationTokenInput } from './schema.ts';

export async function getInvitation(
  _context: RequestContext,
  _input: z.input<typeof invitationTokenInput>,
): Promise<InvitationPreview> {
  throw new AppError('internal');
}
