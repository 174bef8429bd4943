import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { listMembersInput, Member } from './schema.ts';

export async function listMembers(
  _context: OrganizationContext,
  _input: z.input<typeof listMembersInput>,
): Promise<{ items: Member[]; next_cursor: string | null }> {
  throw new AppError('internal');
}
