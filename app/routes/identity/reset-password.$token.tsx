import { createFileRoute, notFound } from '@tanstack/react-router';
import { ResetPasswordScreen } from '../../features/identity/accounts/reset-password-screen.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

/** The target of the link for a forgotten password. */
export const Route = createFileRoute('/identity/reset-password/$token')({
  beforeLoad: ({ context }) => {
    if (!context.settings.isIdentityEmbedded) throw notFound();
  },
  head: ({ match }) => ({
    meta: [
      { title: pageTitle(match.context, 'reset-password') },
      { name: 'robots', content: 'noindex' },
      // The address is a secret: pages that it links to must not see it.
      { name: 'referrer', content: 'same-origin' },
    ],
  }),
  component: ResetPassword,
});

function ResetPassword() {
  const { token } = Route.useParams();
  return <ResetPasswordScreen token={token} />;
}
