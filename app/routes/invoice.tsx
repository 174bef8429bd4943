import { createFileRoute } from '@tanstack/react-router';
import { LinkedInvoiceScreen } from '../features/billing/invoices/linked-invoice-screen.tsx';
import { pageTitle } from '../i18n/page-title.ts';

/** The target of links to invoices for whoever cannot sign in; the token is behind `#`, which no server sees. */
export const Route = createFileRoute('/invoice')({
  head: ({ match }) => ({
    meta: [{ title: pageTitle(match.context, 'invoice') }, { name: 'robots', content: 'noindex' }],
  }),
  component: LinkedInvoiceScreen,
});
