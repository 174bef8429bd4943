import { Trans, useLingui } from '@lingui/react/macro';
import { IconBrowser, IconWorld } from '@tabler/icons-react';
import { cacheHitRate } from '#server/services/usage/rules.ts';
import type { UsageResource } from '#server/services/usage/schema.ts';
import { RowBadge } from '../../../components/lists/row-badge.tsx';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { errorsOf } from './arrange-resources.ts';
import { ResourceLink } from './resource-link.tsx';
import { ShareBar } from './share-bar.tsx';
import classes from './usage-table.module.css';

/**
 * What one endpoint, or a site at its platform names, served; built from plain elements, because there may be
 * thousands.
 */
export function UsageRow(props: { row: UsageResource; wholeBytes: number; organizationId: string }) {
  const { t, i18n } = useLingui();
  const { row, wholeBytes, organizationId } = props;
  const rate = cacheHitRate(row.total_cache_hits, row.total_cache_misses);
  return (
    <tr className={classes.row}>
      <th scope="row" className={classes.name}>
        <span className={classes.resource}>
          <ResourceName row={row} organizationId={organizationId} />
        </span>
      </th>
      <td className={classes.figure} data-name={t`Requests`}>
        {i18n.number(row.total_requests)}
      </td>
      <td className={classes.figure} data-name={t`Bandwidth`}>
        {formatBytes(row.total_bytes_sent, i18n.locale)}
      </td>
      <td className={classes.share}>
        <ShareBar part={row.total_bytes_sent} whole={wholeBytes} />
      </td>
      <td className={classes.figure} data-name={t`Cache hit rate`}>
        {rate === null ? '–' : i18n.number(rate / 100, { style: 'percent' })}
      </td>
      <td className={classes.figure} data-name={t`Errors`}>
        {i18n.number(errorsOf(row))}
      </td>
    </tr>
  );
}

/** What kind it is, its name, and whether it was deleted. */
function ResourceName({ row, organizationId }: { row: UsageResource; organizationId: string }) {
  const isEndpoint = row.cdn_endpoint_id !== null;
  const Icon = isEndpoint ? IconWorld : IconBrowser;
  return (
    <>
      <Icon size={16} stroke={1.6} aria-hidden className={classes.kind} />
      <span className="visually-hidden">
        {isEndpoint ? <Trans>Endpoint</Trans> : <Trans>Site at its own addresses</Trans>}{' '}
      </span>
      <ResourceLink
        resource={row}
        organizationId={organizationId}
        className={classes.link}
        goneClassName={classes.gone}
      />
      {row.is_deleted && (
        <>
          {' '}
          <RowBadge colour="gray">
            <Trans>deleted</Trans>
          </RowBadge>
        </>
      )}
    </>
  );
}
