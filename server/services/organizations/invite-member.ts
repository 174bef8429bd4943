import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Invitation, inviteMemberInput } from './schema.ts';

export async function inviteMember(
  _context: OrganizationContext,
  _input: z.input<typeof inviteMemberInput>,
): Promise<Invitation> {
  throw new AppError('internal');
}
