import { createFileRoute, notFound } from '@tanstack/react-router';
import { VerifyEmailScreen } from '../../features/identity/accounts/verify-email-screen.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

/** The target of the link that confirms an address. */
export const Route = createFileRoute('/identity/verify-email/$token')({
  beforeLoad: ({ context }) => {
    if (!context.settings.isIdentityEmbedded) throw notFound();
  },
  head: ({ match }) => ({
    meta: [
      { title: pageTitle(match.context, 'verify-email') },
      { name: 'robots', content: 'noindex' },
      // The address is a secret: pages that it links to must not see it.
      { name: 'referrer', content: 'same-origin' },
    ],
  }),
  component: VerifyEmail,
});

function VerifyEmail() {
  const { token } = Route.useParams();
  return <VerifyEmailScreen token={token} />;
}
