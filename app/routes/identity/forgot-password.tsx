import { createFileRoute, notFound } from '@tanstack/react-router';
import { ForgotPasswordScreen } from '../../features/identity/accounts/forgot-password-screen.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

/** Where a person requests a link to choose a new password. */
export const Route = createFileRoute('/identity/forgot-password')({
  beforeLoad: ({ context }) => {
    if (!context.settings.isIdentityEmbedded) throw notFound();
  },
  head: ({ match }) => ({
    meta: [{ title: pageTitle(match.context, 'forgot-password') }],
  }),
  component: ForgotPasswordScreen,
});
