import { Trans, useLingui } from '@lingui/react/macro';
import { Skeleton } from '@mantine/core';
import { IconBrowser, IconWorld } from '@tabler/icons-react';
import type { UsageResource } from '#server/services/usage/schema.ts';
import { AnchorLink } from '../../components/links.tsx';
import { formatBytes } from '../../i18n/format-bytes.ts';
import { writtenHostname } from '../cdn/unicode-hostname.ts';
import classes from './most-used.module.css';

/** The endpoint or site that sent most, as a link to its page; what was deleted has none. */
export function MostUsed({ resource, organizationId }: { resource: UsageResource; organizationId: string }) {
  const { i18n } = useLingui();
  const { cdn_endpoint_id: endpointId, site_id: siteId, is_deleted: isDeleted, name } = resource;
  const Icon = endpointId ? IconWorld : IconBrowser;
  const written = endpointId ? writtenHostname(name) : name;
  const bytes = formatBytes(resource.total_bytes_sent, i18n.locale);
  return (
    <div className={classes.row}>
      <span className={classes.label}>
        <Trans>Most used</Trans>
      </span>
      <span className={classes.resource}>
        <Icon size={16} stroke={1.6} aria-hidden className={classes.icon} />
        {isDeleted ? (
          <span className={classes.name} title={name}>
            {written}
          </span>
        ) : endpointId ? (
          <AnchorLink
            to="/$orgId/endpoints/$endpointId"
            params={{ orgId: organizationId, endpointId }}
            className={classes.name}
            title={name}
          >
            {written}
          </AnchorLink>
        ) : (
          <AnchorLink
            to="/$orgId/sites/$siteId"
            params={{ orgId: organizationId, siteId: siteId ?? '' }}
            className={classes.name}
            title={name}
          >
            {written}
          </AnchorLink>
        )}
      </span>
      <span className={classes.amount}>{bytes}</span>
    </div>
  );
}

/** Its line on its way. */
export function MostUsedSkeleton() {
  return (
    <div className={classes.row}>
      <Skeleton height={12} width={72} my={5} />
      <Skeleton height={14} width={180} maw="50%" />
    </div>
  );
}
