import { createFileRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { LoginScreen } from '../features/sign-in/login-screen.tsx';
import { pageTitle } from '../i18n/page-title.ts';

export const Route = createFileRoute('/login')({
  validateSearch: z.object({
    return_to: z.string().optional().catch(undefined),
    error: z.string().optional().catch(undefined),
  }),
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'sign-in') }] }),
  component: Login,
});

function Login() {
  const { return_to, error } = Route.useSearch();
  return <LoginScreen returnTo={return_to} error={error} />;
}
