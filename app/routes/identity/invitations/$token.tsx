import { createFileRoute, notFound } from '@tanstack/react-router';
import { findVisitor } from '../../../features/organizations/find-visitor.ts';
import { InvitationPage } from '../../../features/organizations/invitations/invitation-page.tsx';
import { isAbsent } from '../../../i18n/errors/read-error.ts';
import { pageTitle } from '../../../i18n/page-title.ts';

/** The target of an invitation's link. */
export const Route = createFileRoute('/identity/invitations/$token')({
  beforeLoad: async ({ context }) => {
    if (!context.settings.isIdentityEmbedded) throw notFound();
    return { visitor: await findVisitor(context) };
  },
  loader: async ({ context, params }) => {
    const invitation = await context.trpc.organizations.invitation
      .fetch(params, { staleTime: 0 })
      .catch((error: unknown) => {
        if (isAbsent(error)) return null;
        throw error;
      });
    return { invitation };
  },
  head: ({ match }) => ({
    meta: [
      { title: pageTitle(match.context, 'invitation') },
      { name: 'robots', content: 'noindex' },
      // The address is a secret: pages that it links to must not see it.
      { name: 'referrer', content: 'same-origin' },
    ],
  }),
  component: InvitationPage,
});
