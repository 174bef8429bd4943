import { createFileRoute, notFound, redirect } from '@tanstack/react-router';
import { ProfileScreen } from '../../features/identity/profile-screen.tsx';
import { pageTitle } from '../../i18n/page-title.ts';
import { isUnauthenticated } from '../../i18n/read-error.ts';

/** The account at the embedded identity service; with another issuer there is no such page. */
export const Route = createFileRoute('/identity/profile')({
  beforeLoad: async ({ context, location }) => {
    if (!context.settings.isIdentityEmbedded) throw notFound();
    const user = await context.trpc.user.me.ensureData().catch((error: unknown) => {
      if (isUnauthenticated(error)) return null;
      throw error;
    });
    if (!user) throw redirect({ to: '/login', search: { return_to: location.href }, replace: true });
  },
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'profile') }] }),
  component: ProfileScreen,
});
