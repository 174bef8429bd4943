import { Trans } from '@lingui/react/macro';
import { IconArrowForward, IconBrowser } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { unicodeHostname } from '#server/services/cdn/unicode-hostname-rules.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { DottedName } from '../../../components/dotted-name.tsx';
import { ListStateBadge } from '../../certificates/badges/list-state-badge.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { EndpointStatusBadge } from '../endpoint-status-badge.tsx';
import { EndpointMenu } from './endpoint-menu.tsx';
import classes from './endpoint-table.module.css';

/** One endpoint of the list, built from plain elements: see the rows of the sites' table. */
export function EndpointRow(props: { endpoint: Endpoint; now: number; isStopped: boolean }) {
  const { endpoint, now, isStopped } = props;
  const { organization } = useOrganization();
  const { hostname } = endpoint;
  const written = unicodeHostname(hostname);
  return (
    <tr className={classes.row}>
      <th scope="row" className={classes.hostname}>
        <Link
          to="/$orgId/endpoints/$endpointId"
          params={{ orgId: organization.id, endpointId: endpoint.id }}
          title={written === null ? hostname : `${written} (${hostname})`}
        >
          <DottedName name={written ?? hostname} />
        </Link>
      </th>
      <td className={classes.origin}>
        <Origin endpoint={endpoint} />
      </td>
      <td className={classes.status}>
        <EndpointStatusBadge endpoint={endpoint} now={now} isStopped={isStopped} />
      </td>
      <td className={classes.certificate}>
        <ListStateBadge bundle={endpoint.bundle} now={now} />
      </td>
      <td className={classes.updated}>
        <TimeAgo instant={endpoint.updated_at} />
      </td>
      <td className={`${classes.actions} screen-only`}>
        <EndpointMenu endpoint={endpoint} />
      </td>
    </tr>
  );
}

/** The site, as a link, or the address that the endpoint redirects to. */
function Origin({ endpoint }: { endpoint: Endpoint }) {
  const { organization } = useOrganization();
  const { site_id: siteId, site_name: siteName, redirect_target: target } = endpoint;
  if (siteId !== null && siteName !== null) {
    return (
      <span className={classes.target} title={siteName}>
        <IconBrowser size={16} stroke={1.6} aria-hidden />
        <Link to="/$orgId/sites/$siteId" params={{ orgId: organization.id, siteId }}>
          {siteName}
        </Link>
      </span>
    );
  }
  if (target === null) return '–';
  return (
    <span className={classes.target} title={target}>
      <IconArrowForward size={16} stroke={1.6} aria-hidden />
      <span className="visually-hidden">
        <Trans>Redirect to</Trans>{' '}
      </span>
      <span className={classes.address}>{target.replace(/^https?:\/\//, '')}</span>
    </span>
  );
}
