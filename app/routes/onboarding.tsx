import { createFileRoute, redirect } from '@tanstack/react-router';

/** Billing is off on every installation so far (BILLING_MODE), which opens the guard: there is nothing to set up. */
export const Route = createFileRoute('/onboarding')({
  beforeLoad: () => {
    throw redirect({ to: '/', replace: true });
  },
});
