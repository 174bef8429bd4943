import { createFileRoute, redirect } from '@tanstack/react-router';

/** The address of registration: the sign-in flow begins, with the registration form first. */
export const Route = createFileRoute('/identity/register')({
  beforeLoad: () => {
    throw redirect({ href: '/auth/login?register=1', reloadDocument: true });
  },
});
