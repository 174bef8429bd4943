import { useLingui } from '@lingui/react/macro';
import { useMantineColorScheme } from '@mantine/core';
import {
  type Icon,
  IconBook,
  IconBrowser,
  IconBucket,
  IconChartBar,
  IconCreditCard,
  IconDeviceDesktop,
  IconDownload,
  IconHistory,
  IconKey,
  IconLanguage,
  IconLayoutDashboard,
  IconLogout,
  IconMoon,
  IconPencil,
  IconPlus,
  IconSettings,
  IconSun,
  IconTrash,
  IconUser,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
  IconWorld,
} from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { LANGUAGES } from '#server/services/identity/rules.ts';
import { notifyFailure } from '../../components/notify.ts';
import { LANGUAGE_NAMES } from '../../i18n/language-names.ts';
import { useSettings } from '../../use-settings.ts';
import { useMemberships } from '../organizations/memberships-provider.tsx';
import { nameOfOrganization } from '../organizations/name-of-organization.ts';
import { useManagedHandle } from '../organizations/use-managed-handle.ts';
import { useHomeOrganization } from '../organizations/use-organization.ts';
import { useSwitchOrganization } from '../organizations/use-switch-organization.ts';
import { signOut } from '../sign-in/sign-out.ts';
import { hasStorage } from '../storage/has-storage.ts';
import { useChooseLanguage } from './use-choose-language.ts';

/** An action of the palette. */
export interface PaletteEntry {
  id: string;
  label: string;
  detail?: string;
  /** Additional search terms; never shown. */
  keywords?: string;
  icon: Icon;
  run: () => void;
}

/**
 * Returns every page, the documentation, the other organizations, and the actions that the person may take; `typedActions` are for
 * those who look for them, and lead to where it is done.
 */
export function usePaletteEntries(): Record<
  'pages' | 'organizations' | 'actions' | 'typedActions' | 'documentation',
  PaletteEntry[]
> {
  const { t, i18n } = useLingui();
  const chooseLanguage = useChooseLanguage();
  const router = useRouter();
  const { organization, can } = useHomeOrganization();
  const { isIdentityEmbedded, billingMode } = useSettings();
  const { user, memberships, membership } = useMemberships();
  const handle = useManagedHandle(membership?.organization);
  const switching = useSwitchOrganization({
    onFailed: () => notifyFailure(t`Failed to switch organization`),
  });
  const { setColorScheme } = useMantineColorScheme();
  const params = { orgId: organization.id };
  const isStorageOn = hasStorage(organization);

  const page = (
    to:
      | '/$orgId'
      | '/$orgId/sites'
      | '/$orgId/cdn'
      | '/$orgId/credentials'
      | '/$orgId/webhooks'
      | '/$orgId/storage'
      | '/$orgId/usage'
      | '/$orgId/billing'
      | '/$orgId/audit'
      | '/$orgId/settings',
    label: string,
    icon: Icon,
  ): PaletteEntry => ({ id: `page ${to}`, label, icon, run: () => void router.navigate({ to, params }) });

  const pages = [
    page('/$orgId', t`Dashboard`, IconLayoutDashboard),
    page('/$orgId/sites', t`Sites`, IconBrowser),
    page('/$orgId/cdn', t`CDN`, IconWorld),
    page('/$orgId/credentials', t`Credentials`, IconKey),
    page('/$orgId/webhooks', t`Webhooks`, IconWebhook),
    ...(isStorageOn ? [page('/$orgId/storage', t`Object storage`, IconBucket)] : []),
    page('/$orgId/usage', t`Usage`, IconChartBar),
    page('/$orgId/billing', t`Billing`, IconCreditCard),
    page('/$orgId/audit', t`Audit log`, IconHistory),
    page('/$orgId/settings', t`Settings`, IconSettings),
  ];
  for (const [period, label] of [
    ['week', t`Usage this week`],
    ['day', t`Usage today`],
  ] as const) {
    pages.push({
      id: `page usage ${period}`,
      label,
      icon: IconChartBar,
      run: () => void router.navigate({ to: '/$orgId/usage', params, search: { period } }),
    });
  }
  if (isIdentityEmbedded) {
    pages.push({
      id: 'page profile',
      label: t`Profile`,
      icon: IconUser,
      run: () => void router.navigate({ to: '/identity/profile' }),
    });
  }

  const organizations = memberships
    .filter((other) => other !== membership)
    .map(({ organization: other }) => ({
      id: `organization ${other.id}`,
      label: nameOfOrganization(other, user),
      detail: t`Switch organization`,
      icon: IconUsersGroup,
      run: () => switching.switchTo(other.id),
    }));

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
  const documentation: PaletteEntry[] = [
    {
      id: 'documentation api',
      label: t`API reference`,
      icon: IconBook,
      run: () => void window.open('/api/v1/docs', '_blank', 'noreferrer'),
    },
  ];
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
  return { pages, organizations, actions, typedActions, documentation };
}
