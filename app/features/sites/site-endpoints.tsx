import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Skeleton, Text } from '@mantine/core';
import { useEffect } from 'react';
import { AnchorLink } from '../../components/links.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { trpc } from '../../trpc.ts';
import classes from './site-page.module.css';
import { useSiteParams } from './use-site-params.ts';

/** The CDN endpoints in front of a site. A failure to load them is logged, and the list is shown empty. */
export function SiteEndpoints() {
  const ofSite = useSiteParams();
  const endpoints = trpc.cdn.list.useQuery(ofSite);
  const { error } = endpoints;
  useEffect(() => {
    if (error) reportError(error);
  }, [error]);
  const list = endpoints.data ?? [];
  const orgId = ofSite.organization_id;
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
      ) : list.length === 0 ? (
        <Text size="sm" c="dimmed">
          <Trans>No CDN endpoints yet. The site answers at its own address.</Trans>
        </Text>
      ) : (
        <ul className={classes.endpoints}>
          {list.map((endpoint) => (
            <li key={endpoint.id}>
              <Anchor href={`/${orgId}/endpoints/${endpoint.id}`} size="sm" truncate>
                {endpoint.hostname}
              </Anchor>
              {/* No endpoint has a certificate bundle before certificates exist. */}
              <Badge color="gray">
                <Trans>no certificate</Trans>
              </Badge>
            </li>
          ))}
        </ul>
      )}
    </SectionCard>
  );
}
