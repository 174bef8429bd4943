import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/**
 * Returns when the organization has object storage.
 * @throws feature_missing
 */
export function requireStorage({ organization }: OrganizationContext): void {
  if (!organization.features.includes('object_storage')) {
    throw new AppError('feature_missing', { feature: 'object_storage' });
  }
}
