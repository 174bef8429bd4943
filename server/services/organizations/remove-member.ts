import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { memberInput } from './schema.ts';

export async function removeMember(
  _context: OrganizationContext,
  _input: z.input<typeof memberInput>,
): Promise<void> {
  throw new AppError('internal');
}
