import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Invitation, listInvitationsInput } from './schema.ts';

export async function listInvitations(
  _context: OrganizationContext,
  _input: z.input<typeof listInvitationsInput>,
): Promise<{ items: Invitation[]; next_cursor: string | null }> {
  throw new AppError('internal');
}
