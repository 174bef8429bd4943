import { useLingui } from '@lingui/react/macro';
import { IconDownload, IconPencil, IconTrash, IconUser } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useSettings } from '../../../use-settings.ts';
import { useMemberships } from '../../organizations/memberships-provider.tsx';
import { useManagedHandle } from '../../organizations/profile/use-managed-handle.ts';
import { useHomeOrganization } from '../../organizations/use-organization.ts';
import { hasStorage } from '../../storage/has-storage.ts';
import type { PaletteEntry } from '../palette-entry.ts';

/** Returns actions for those who look for them by name. They lead to where it is done. */
export function useTypedEntries(): PaletteEntry[] {
  const { t } = useLingui();
  const router = useRouter();
  const { organization, can } = useHomeOrganization();
  const { isIdentityEmbedded, billingMode } = useSettings();
  const { membership } = useMemberships();
  const handle = useManagedHandle(membership?.organization);
  const params = { orgId: organization.id };
  const isStorageOn = hasStorage(organization);

  const typedActions: PaletteEntry[] = [
    {
      id: 'download usage',
      label: t`Download the usage as CSV`,
      icon: IconDownload,
      run: () => void router.navigate({ to: '/$orgId/usage', params }),
    },
    {
      id: 'download audit',
      label: t`Download the audit log as CSV`,
      icon: IconDownload,
      run: () => void router.navigate({ to: '/$orgId/audit', params }),
    },
  ];
  if (billingMode !== 'off') {
    typedActions.push({
      id: 'download invoice',
      label: t`Download an invoice`,
      icon: IconDownload,
      run: () => void router.navigate({ to: '/$orgId/billing', params }),
    });
  }
  if (can('credential.manage')) {
    typedActions.push({
      id: 'delete credential',
      label: t`Delete a credential`,
      icon: IconTrash,
      run: () => void router.navigate({ to: '/$orgId/credentials', params }),
    });
  }
  if (isStorageOn && can('bucket.manage')) {
    typedActions.push({
      id: 'delete bucket',
      label: t`Delete a bucket`,
      icon: IconTrash,
      run: () => void router.navigate({ to: '/$orgId/storage', params }),
    });
  }
  if (isIdentityEmbedded) {
    typedActions.push({
      id: 'rename profile',
      label: t`Change your name or email address`,
      icon: IconUser,
      run: () => void router.navigate({ to: '/identity/profile' }),
    });
  }
  if (handle !== null) {
    typedActions.push({
      id: 'rename organization',
      label: t`Rename the organization`,
      icon: IconPencil,
      run: () => void router.navigate({ to: '/identity/organizations/$handle', params: { handle } }),
    });
  }
  return typedActions;
}
