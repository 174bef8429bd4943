import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Organization, updateOrganizationInput } from './schema.ts';

export async function updateOrganization(
  _context: OrganizationContext,
  _input: z.input<typeof updateOrganizationInput>,
): Promise<Organization> {
  throw new AppError('internal');
}
