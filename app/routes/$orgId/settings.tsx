import { createFileRoute } from '@tanstack/react-router';
import { SettingsPage } from '../../features/settings/settings-page.tsx';
import { SettingsSkeleton } from '../../features/settings/settings-skeleton.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

export const Route = createFileRoute('/$orgId/settings')({
  loader: ({ context }) => context.trpc.user.sessions.ensureData(),
  pendingComponent: SettingsSkeleton,
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'settings') }] }),
  component: SettingsPage,
});
