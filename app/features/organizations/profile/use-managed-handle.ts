import type { Organization } from '#server/services/organizations/schema.ts';
import { useSettings } from '../../../use-settings.ts';

/**
 * Returns the handle under which an organization's members are managed here, or null when that is
 * elsewhere.
 */
export function useManagedHandle(organization: Organization | undefined): string | null {
  const { isIdentityEmbedded } = useSettings();
  return organization && isIdentityEmbedded && organization.is_managed_here ? organization.handle : null;
}
