import { Trans } from '@lingui/react/macro';
import { PageHeader } from '../../components/page-header.tsx';

/** Title and subtitle of the CDN page. */
export function EndpointsHeader() {
  return (
    <PageHeader
      title={<Trans>CDN</Trans>}
      subtitle={<Trans>Your own host names in front of your sites.</Trans>}
    />
  );
}
