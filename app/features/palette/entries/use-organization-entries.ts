import { useLingui } from '@lingui/react/macro';
import { IconUsersGroup } from '@tabler/icons-react';
import { notifyFailure } from '../../../components/notifications/notify.ts';
import { useMemberships } from '../../organizations/memberships-provider.tsx';
import { nameOfOrganization } from '../../organizations/name-of-organization.ts';
import { useSwitchOrganization } from '../../organizations/switcher/use-switch-organization.ts';
import type { PaletteEntry } from '../palette-entry.ts';

/** Returns the other organizations of the person, to switch to. */
export function useOrganizationEntries(): PaletteEntry[] {
  const { t } = useLingui();
  const { user, memberships, membership } = useMemberships();
  const switching = useSwitchOrganization({
    onFailed: () => notifyFailure(t`Failed to switch organization`),
  });
  return memberships
    .filter((other) => other !== membership)
    .map(({ organization: other }) => ({
      id: `organization ${other.id}`,
      label: nameOfOrganization(other, user),
      detail: t`Switch organization`,
      icon: IconUsersGroup,
      run: () => switching.switchTo(other.id),
    }));
}
