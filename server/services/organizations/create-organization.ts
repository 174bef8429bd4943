import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { createOrganizationInput, Membership } from './schema.ts';

export async function createOrganization(
  _context: RequestContext,
  _input: z.input<typeof createOrganizationInput>,
): Promise<Membership> {
  throw new AppError('internal');
}
