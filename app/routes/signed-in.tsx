import { createFileRoute } from '@tanstack/react-router';
import { SignedInScreen } from '../features/sign-in/signed-in-screen.tsx';
import { pageTitle } from '../i18n/page-title.ts';

/** The end of a sign-in in a separate window. */
export const Route = createFileRoute('/signed-in')({
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'signed-in') }] }),
  component: SignedInScreen,
});
