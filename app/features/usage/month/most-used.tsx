import { Trans, useLingui } from '@lingui/react/macro';
import { Skeleton } from '@mantine/core';
import { IconBrowser, IconWorld } from '@tabler/icons-react';
import type { UsageResource } from '#server/services/usage/schema.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { ResourceLink } from '../table/resource-link.tsx';
import classes from './most-used.module.css';

/** The endpoint or site that sent most, as a link to its page; a deleted one has no link. */
export function MostUsed({ resource, organizationId }: { resource: UsageResource; organizationId: string }) {
  const { i18n } = useLingui();
  const Icon = resource.cdn_endpoint_id === null ? IconBrowser : IconWorld;
  const bytes = formatBytes(resource.total_bytes_sent, i18n.locale);
  return (
    <div className={classes.row}>
      <span className={classes.label}>
        <Trans>Most used</Trans>
      </span>
      <span className={classes.resource}>
        <Icon size={16} stroke={1.6} aria-hidden className={classes.icon} />
        <ResourceLink
          resource={resource}
          organizationId={organizationId}
          className={classes.link}
          goneClassName={classes.name}
        />
      </span>
      <span className={classes.amount}>{bytes}</span>
    </div>
  );
}

/** Its line while loading. */
export function MostUsedSkeleton() {
  return (
    <div className={classes.row}>
      <Skeleton height={12} width={72} my={5} />
      <Skeleton height={14} width={180} maw="50%" />
    </div>
  );
}
