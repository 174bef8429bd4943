import { createFileRoute } from '@tanstack/react-router';
import { LoginScreen } from '../features/sign-in/login-screen.tsx';
import { pageTitle } from '../i18n/page-title.ts';
import { readSearch, textParam } from '../search-params.ts';

const validSearch = readSearch({ return_to: textParam, error: textParam });

export const Route = createFileRoute('/login')({
  validateSearch: validSearch,
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'sign-in') }] }),
  component: Login,
});

function Login() {
  const { return_to, error } = Route.useSearch();
  return <LoginScreen returnTo={return_to} error={error} />;
}
