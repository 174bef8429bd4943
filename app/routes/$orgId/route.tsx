import { createFileRoute, notFound, Outlet, redirect } from '@tanstack/react-router';
import { AppFrame } from '../../features/frame/app-frame.tsx';
import { UnknownOrganization } from '../../features/organizations/unknown-organization.tsx';
import { LanguageKeeper } from '../../i18n/language-keeper.tsx';
import { isUnauthenticated } from '../../i18n/read-error.ts';
import { trpc } from '../../trpc.ts';

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
  // Asked, not taken from the route: a preference just saved is here before the language changes.
  const [user] = trpc.user.me.useSuspenseQuery();
  return (
    <AppFrame>
      <LanguageKeeper preference={user.language_preference} />
      <Outlet />
    </AppFrame>
  );
}
