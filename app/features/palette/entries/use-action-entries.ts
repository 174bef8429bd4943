import { useLingui } from '@lingui/react/macro';
import { useMantineColorScheme } from '@mantine/core';
import {
  IconDeviceDesktop,
  IconLanguage,
  IconLogout,
  IconMoon,
  IconPlus,
  IconSun,
  IconUsers,
} from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { LANGUAGES } from '#server/services/identity/rules.ts';
import { notifyFailure } from '../../../components/notifications/notify.ts';
import { LANGUAGE_NAMES } from '../../../i18n/language/language-names.ts';
import { useSettings } from '../../../use-settings.ts';
import { useMemberships } from '../../organizations/memberships-provider.tsx';
import { useManagedHandle } from '../../organizations/profile/use-managed-handle.ts';
import { useHomeOrganization } from '../../organizations/use-organization.ts';
import { signOut } from '../../sign-in/sign-out.ts';
import { hasStorage } from '../../storage/has-storage.ts';
import type { PaletteEntry } from '../palette-entry.ts';
import { useChooseLanguage } from '../use-choose-language.ts';

/** Returns an entry for everything that the person may create, and for the settings of this browser. */
export function useActionEntries(): PaletteEntry[] {
  const { t, i18n } = useLingui();
  const chooseLanguage = useChooseLanguage();
  const router = useRouter();
  const { organization, can } = useHomeOrganization();
  const { isIdentityEmbedded } = useSettings();
  const { membership } = useMemberships();
  const handle = useManagedHandle(membership?.organization);
  const { setColorScheme } = useMantineColorScheme();
  const params = { orgId: organization.id };
  const isStorageOn = hasStorage(organization);

  const actions: PaletteEntry[] = [];
  if (can('site.create')) {
    actions.push({
      id: 'create site',
      label: t`Create site`,
      icon: IconPlus,
      run: () => void router.navigate({ to: '/$orgId/sites', params, search: { create: true } }),
    });
  }
  if (can('endpoint.create')) {
    actions.push({
      id: 'create endpoint',
      label: t`Add a hostname`,
      icon: IconPlus,
      run: () => void router.navigate({ to: '/$orgId/cdn', params, search: { create: true } }),
    });
  }
  if (can('credential.manage')) {
    actions.push({
      id: 'create credential',
      label: t`Create credential`,
      icon: IconPlus,
      run: () => void router.navigate({ to: '/$orgId/credentials', params, search: { create: true } }),
    });
  }
  if (isStorageOn && can('bucket.manage')) {
    actions.push({
      id: 'create bucket',
      label: t`Create bucket`,
      icon: IconPlus,
      run: () => void router.navigate({ to: '/$orgId/storage', params, search: { create: true } }),
    });
  }
  if (handle !== null) {
    actions.push({
      id: 'members',
      label: t`Members and settings`,
      icon: IconUsers,
      run: () =>
        void router.navigate({
          to: '/identity/organizations/$handle',
          params: { handle },
          search: { tab: 'members' },
        }),
    });
  }
  if (isIdentityEmbedded) {
    actions.push({
      id: 'new organization',
      label: t`New organization`,
      icon: IconPlus,
      run: () => void router.navigate({ to: '/identity/organizations/new' }),
    });
  }
  for (const language of LANGUAGES.filter((other) => other !== i18n.locale)) {
    const name = LANGUAGE_NAMES[language].full;
    actions.push({
      id: `language ${language}`,
      label: t`Change the language to ${name}`,
      icon: IconLanguage,
      run: () => void chooseLanguage(language),
    });
  }
  actions.push(
    { id: 'light', label: t`Use the light colour scheme`, icon: IconSun, run: () => setColorScheme('light') },
    { id: 'dark', label: t`Use the dark colour scheme`, icon: IconMoon, run: () => setColorScheme('dark') },
    {
      id: 'system',
      label: t`Use the colour scheme of the system`,
      icon: IconDeviceDesktop,
      run: () => setColorScheme('auto'),
    },
    {
      id: 'sign out',
      label: t`Sign out`,
      icon: IconLogout,
      run: () => void signOut().catch(() => notifyFailure(t`Logout failed`)),
    },
  );
  return actions;
}
