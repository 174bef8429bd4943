import { Trans } from '@lingui/react/macro';
import { ButtonLink } from '../../components/links.tsx';

/** Leads from one site or endpoint to the whole organization, in the same period. */
export function AllUsageLink({ organizationId }: { organizationId: string }) {
  return (
    <ButtonLink
      to="/$orgId/usage"
      params={{ orgId: organizationId }}
      search={(before) => ({ ...before, site_id: undefined, cdn_endpoint_id: undefined })}
      resetScroll={false}
      variant="default"
    >
      <Trans>View all usage</Trans>
    </ButtonLink>
  );
}
