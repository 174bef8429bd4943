import { createFileRoute, notFound } from '@tanstack/react-router';
import { VerifyEmailScreen } from '../../features/identity/verify-email-screen.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

/** Where the link that confirms an address leads. */
export const Route = createFileRoute('/identity/verify-email/$token')({
  beforeLoad: ({ context }) => {
    if (!context.settings.isIdentityEmbedded) throw notFound();
  },
  head: ({ match }) => ({
    meta: [
      { title: pageTitle(match.context, 'verify-email') },
      { name: 'robots', content: 'noindex' },
      // The address is a secret: no page that it leads to hears of it.
      { name: 'referrer', content: 'same-origin' },
    ],
  }),
  component: VerifyEmail,
});

function VerifyEmail() {
  const { token } = Route.useParams();
  return <VerifyEmailScreen token={token} />;
}
