import { Link } from '@tanstack/react-router';
import { writtenHostname } from '#server/services/cdn/unicode-hostname-rules.ts';
import type { UsageResource } from '#server/services/usage/schema.ts';

/** The name of an endpoint or site, as a link to its page; a deleted one has no link. */
export function ResourceLink(props: {
  resource: UsageResource;
  organizationId: string;
  className: string | undefined;
  /** For a name without a page. */
  goneClassName?: string | undefined;
}) {
  const { resource, organizationId, className, goneClassName } = props;
  const { cdn_endpoint_id: endpointId, site_id: siteId, is_deleted: isDeleted, name } = resource;
  const written = endpointId === null ? name : writtenHostname(name);
  const title = written === name ? name : `${written} (${name})`;
  if (isDeleted) {
    return (
      <span className={goneClassName} title={title}>
        {written}
      </span>
    );
  }
  return endpointId === null ? (
    <Link
      to="/$orgId/sites/$siteId"
      params={{ orgId: organizationId, siteId: siteId ?? '' }}
      className={className}
      title={title}
    >
      {written}
    </Link>
  ) : (
    <Link
      to="/$orgId/endpoints/$endpointId"
      params={{ orgId: organizationId, endpointId }}
      className={className}
      title={title}
    >
      {written}
    </Link>
  );
}
