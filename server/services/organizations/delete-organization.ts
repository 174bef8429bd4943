import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

export async function deleteOrganization(_context: OrganizationContext): Promise<void> {
  throw new AppError('internal');
}
