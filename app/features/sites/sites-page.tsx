import { Trans } from '@lingui/react/macro';
import { PageHeader } from '../../components/page-header.tsx';

export function SitesPage() {
  return <PageHeader title={<Trans>Sites</Trans>} />;
}
