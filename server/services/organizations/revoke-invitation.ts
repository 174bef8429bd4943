import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { invitationInput } from './schema.ts';

export async function revokeInvitation(
  _context: OrganizationContext,
  _input: z.input<typeof invitationInput>,
): Promise<void> {
  throw new AppError('internal');
}
