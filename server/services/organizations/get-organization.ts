import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Organization } from './schema.ts';

export async function getOrganization(_context: OrganizationContext): Promise<Organization> {
  throw new AppError('internal');
}
