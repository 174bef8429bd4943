import { createFileRoute } from '@tanstack/react-router';
import { ReportScreen } from '../features/abuse/report-screen.tsx';
import { pageTitle } from '../i18n/page-title.ts';
import { readSearch, textParam } from '../search-params.ts';

const validSearch = readSearch({ address: textParam });

/** Where anyone reports abuse by a site to the operator. `address` fills in the page. */
export const Route = createFileRoute('/report-abuse')({
  validateSearch: validSearch,
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'report-abuse') }] }),
  component: Report,
});

function Report() {
  const { address } = Route.useSearch();
  return <ReportScreen address={address} />;
}
