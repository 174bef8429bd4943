import { createFileRoute, redirect } from '@tanstack/react-router';

/** The address of registration: starts the sign-in flow with the registration form first. */
export const Route = createFileRoute('/identity/register')({
  beforeLoad: () => {
    throw redirect({ href: '/auth/login?register=1', reloadDocument: true });
  },
});
