import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Member, updateMemberInput } from './schema.ts';

export async function updateMember(
  _context: OrganizationContext,
  _input: z.input<typeof updateMemberInput>,
): Promise<Member> {
  throw new AppError('internal');
}
