import { createFileRoute, redirect } from '@tanstack/react-router';
import { FrameSkeleton } from '../features/frame/frame-skeleton.tsx';
import { isUnauthenticated } from '../i18n/errors/read-error.ts';

/** `/` becomes `/{orgId}` of the stored context; without a session, the login screen. */
export const Route = createFileRoute('/')({
  beforeLoad: async ({ context }) => {
    const current = await context.trpc.organizations.context
      .fetch(undefined, { staleTime: 0 })
      .catch((error: unknown) => {
        if (isUnauthenticated(error)) return null;
        throw error;
      });
    if (!current) throw redirect({ to: '/login', replace: true });
    throw redirect({ to: '/$orgId', params: { orgId: current.organization_id }, replace: true });
  },
  pendingComponent: FrameSkeleton,
});
