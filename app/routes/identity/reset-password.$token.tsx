import { createFileRoute, notFound } from '@tanstack/react-router';
import { ResetPasswordScreen } from '../../features/identity/reset-password-screen.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

/** Where the link of a forgotten password leads. */
export const Route = createFileRoute('/identity/reset-password/$token')({
  beforeLoad: ({ context }) => {
    if (!context.settings.isIdentityEmbedded) throw notFound();
  },
  head: ({ match }) => ({
    meta: [
      { title: pageTitle(match.context, 'reset-password') },
      { name: 'robots', content: 'noindex' },
      // The address is a secret: no page that it leads to hears of it.
      { name: 'referrer', content: 'same-origin' },
    ],
  }),
  component: ResetPassword,
});

function ResetPassword() {
  const { token } = Route.useParams();
  return <ResetPasswordScreen token={token} />;
}
