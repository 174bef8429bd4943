import { useLingui } from '@lingui/react/macro';
import {
  type Icon,
  IconBrowser,
  IconBucket,
  IconChartBar,
  IconCreditCard,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconSettings,
  IconUser,
  IconWebhook,
  IconWorld,
} from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useSettings } from '../../../use-settings.ts';
import { useHomeOrganization } from '../../organizations/use-organization.ts';
import { hasStorage } from '../../storage/has-storage.ts';
import type { PaletteEntry } from '../palette-entry.ts';

/** Returns the pages of the organization, and the one of the person. */
export function usePageEntries(): PaletteEntry[] {
  const { t } = useLingui();
  const router = useRouter();
  const { organization } = useHomeOrganization();
  const { isIdentityEmbedded } = useSettings();
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
  return pages;
}
