import { createFileRoute, notFound, Outlet, redirect } from '@tanstack/react-router';
import { AppFrame } from '../../features/frame/app-frame.tsx';
import { UnknownOrganization } from '../../features/organizations/unknown-organization.tsx';
import { isUnauthenticated } from '../../i18n/read-error.ts';

/** First segments of console paths: links to them without an organization get the current one. */
const SECTIONS = new Set(['sites', 'cdn', 'endpoints', 'storage', 'credentials', 'billing', 'settings']);

/** Everything signed in: who it is, which organization, and the frame around the page. */
export const Route = createFileRoute('/$orgId')({
  beforeLoad: async ({ context, params, location }) => {
    const signedIn = await Promise.all([
      context.trpc.user.me.ensureData(),
      context.trpc.organizations.list.ensureData(),
    ]).catch((error: unknown) => {
      if (isUnauthenticated(error)) return null;
      throw error;
    });
    if (!signedIn) throw redirect({ to: '/login', search: { return_to: location.href }, replace: true });
    const [user, memberships] = signedIn;
    const membership = memberships.find((entry) => entry.organization.id === params.orgId);
    if (membership) return { user, membership };
    if (SECTIONS.has(params.orgId)) {
      const current = await context.trpc.organizations.context.ensureData();
      throw redirect({ href: `/${current.organization_id}${location.href}`, replace: true });
    }
    throw notFound();
  },
  component: SignedIn,
  notFoundComponent: UnknownOrganization,
});

function SignedIn() {
  return (
    <AppFrame>
      <Outlet />
    </AppFrame>
  );
}
