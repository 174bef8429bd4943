import { Trans } from '@lingui/react/macro';
import { Skeleton, Text } from '@mantine/core';
import { useEffect } from 'react';
import { writtenHostname } from '#server/services/cdn/unicode-hostname-rules.ts';
import { DottedName } from '../../../components/dotted-name.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { AnchorLink, NameLink } from '../../../components/links.tsx';
import { LoadMorePages } from '../../../components/lists/load-more.tsx';
import { useShortList } from '../../../components/lists/use-short-list.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { logFailure } from '../../../i18n/errors/log-failure.ts';
import { useEndpointsOfSite } from '../../cdn/list/use-endpoints.ts';
import { SiteStateBadge } from '../../certificates/badges/site-state-badge.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { useSiteParams } from '../use-site-params.ts';
import classes from './site-page.module.css';

/** A site may have hundreds: the settings below them stay in reach. */
const SHOWN_AT_FIRST = 10;

/** The CDN endpoints of a site. A failure to load them is logged, and the list is empty except for Retry. */
export function SiteEndpoints() {
  const ofSite = useSiteParams();
  const { endpoints, rows: list = [] } = useEndpointsOfSite(ofSite);
  const { error } = endpoints;
  useEffect(() => {
    if (error) logFailure(error);
  }, [error]);
  const { shown, toggle } = useShortList(list, SHOWN_AT_FIRST);
  const orgId = ofSite.organization_id;
  const { can } = useOrganization();
  return (
    <SectionCard
      title={<Trans>CDN endpoints</Trans>}
      action={
        <AnchorLink to="/$orgId/cdn" params={{ orgId }} size="sm">
          <Trans>Manage CDN</Trans>
        </AnchorLink>
      }
    >
      {endpoints.isPending ? (
        <Skeleton height={14} width="70%" my={8} />
      ) : endpoints.isError && endpoints.data === undefined ? (
        <ErrorNotice onRetry={endpoints.refetch}>
          <Trans>The endpoints could not be loaded.</Trans>
        </ErrorNotice>
      ) : list.length === 0 ? (
        <Text size="sm" c="dimmed">
          <Trans>No CDN endpoints yet. The site is served at its own address.</Trans>
        </Text>
      ) : (
        <ul className={classes.endpoints}>
          {shown.map((endpoint) => (
            <li key={endpoint.id}>
              <NameLink
                to="/$orgId/endpoints/$endpointId"
                params={{ orgId, endpointId: endpoint.id }}
                title={endpoint.hostname}
              >
                <DottedName name={writtenHostname(endpoint.hostname)} />
              </NameLink>
              <SiteStateBadge bundle={endpoint.bundle} />
            </li>
          ))}
        </ul>
      )}
      {shown.length === list.length && <LoadMorePages query={endpoints} />}
      {toggle && <div>{toggle}</div>}
      {can('endpoint.create') && (
        <AnchorLink
          to="/$orgId/cdn"
          params={{ orgId }}
          search={{ create: true, site: ofSite.site_id }}
          size="sm"
          display="inline-block"
          mt="sm"
        >
          <Trans>Add a hostname</Trans>
        </AnchorLink>
      )}
    </SectionCard>
  );
}
