import { createFileRoute, notFound } from '@tanstack/react-router';
import { isLegalDocument } from '../features/sign-in/legal-document.ts';
import { UnpublishedPolicy } from '../features/sign-in/unpublished-policy.tsx';
import { pageTitle } from '../i18n/page-title.ts';

/** The target of the sign-in screen's policy links while the operator has not set their addresses. */
export const Route = createFileRoute('/legal/$document')({
  beforeLoad: ({ params }) => {
    if (!isLegalDocument(params.document)) throw notFound();
    return { document: params.document };
  },
  head: ({ match: { context, params } }) => ({
    meta: [{ title: pageTitle(context, isLegalDocument(params.document) ? params.document : 'not-found') }],
  }),
  component: Policy,
});

function Policy() {
  return <UnpublishedPolicy document={Route.useRouteContext().document} />;
}
