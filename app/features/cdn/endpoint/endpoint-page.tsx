import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { writtenHostname } from '#server/services/cdn/unicode-hostname-rules.ts';
import { AnchorLink } from '../../../components/links.tsx';
import { Breadcrumbs } from '../../../components/page/breadcrumbs.tsx';
import { CertificateCard } from '../../certificates/card/certificate-card.tsx';
import { useCertificateActions } from '../../certificates/card/use-certificate-actions.ts';
import { DnsChecklist } from '../../certificates/records/dns-checklist.tsx';
import { useDnsReport } from '../../certificates/records/use-dns-report.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { EndpointUsage } from '../../usage/endpoint/endpoint-usage.tsx';
import { DnsHostnameCard } from './dns-hostname-card.tsx';
import { EndpointHead } from './endpoint-head.tsx';
import { EndpointNotFound } from './endpoint-not-found.tsx';
import classes from './endpoint-page.module.css';
import { HstsCard } from './hsts-card.tsx';
import { OriginCard } from './origin-card.tsx';
import { useEndpoint } from './use-endpoint.ts';

/** A CDN endpoint: its origin, its certificate, and the state of its DNS records. */
export function EndpointPage() {
  const { organization } = useOrganization();
  const { endpoint, readAt, isGone } = useEndpoint();
  const report = useDnsReport(endpoint);
  const actions = useCertificateActions(endpoint);
  // The person who deletes it is redirected to the list, and not told that it is gone.
  const [isLeaving, setLeaving] = useState(false);
  if (isGone && !isLeaving) return <EndpointNotFound />;
  return (
    <>
      <Breadcrumbs current={writtenHostname(endpoint.hostname)}>
        <AnchorLink to="/$orgId/cdn" params={{ orgId: organization.id }}>
          <Trans>CDN</Trans>
        </AnchorLink>
      </Breadcrumbs>
      <EndpointHead endpoint={endpoint} now={readAt} onLeaving={setLeaving} />
      <div className={classes.columns}>
        <Stack gap="lg">
          <CertificateCard endpoint={endpoint} report={report.data} actions={actions} now={readAt} />
          <DnsChecklist endpoint={endpoint} report={report} />
        </Stack>
        <Stack gap="lg">
          <OriginCard endpoint={endpoint} />
          <DnsHostnameCard endpoint={endpoint} />
          <HstsCard endpoint={endpoint} />
        </Stack>
      </div>
      <EndpointUsage endpoint={endpoint} />
    </>
  );
}
