import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { LimitNotice } from '../../limits/limit-notice.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { CreateEndpointDialog } from '../form/create-endpoint-dialog.tsx';
import { EndpointsHeader } from './endpoints-header.tsx';
import { EndpointsList } from './endpoints-list.tsx';
import { useEndpointPages } from './use-endpoints.ts';

const cdnRoute = getRouteApi('/$orgId/cdn/');

/**
 * The organization's CDN endpoints, and the dialog that adds one; search and open dialog are in the address.
 */
export function EndpointsPage() {
  const { organization } = useOrganization();
  const { create, site } = cdnRoute.useSearch();
  const navigate = cdnRoute.useNavigate();
  const { hasNone } = useEndpointPages();
  const reason = usePermissionReason()('endpoint.create');
  const setDialogOpen = (isOpen: boolean) =>
    void navigate({
      search: (before) => ({ ...before, create: isOpen || undefined, site: undefined }),
      replace: !isOpen,
      resetScroll: false,
    });
  const addButton = (
    <ReasonedAction reason={reason} onAct={() => setDialogOpen(true)}>
      {(action) => (
        <Button leftSection={<IconPlus size={16} aria-hidden />} {...action}>
          <Trans>Add endpoint</Trans>
        </Button>
      )}
    </ReasonedAction>
  );
  return (
    <>
      <EndpointsHeader actions={!hasNone && addButton} />
      <LimitNotice organizationId={organization.id} of={['endpoints']} />
      {/* Another organization's list starts afresh: nothing of the one before is shown meanwhile. */}
      <EndpointsList key={organization.id} addButton={addButton} />
      <CreateEndpointDialog
        isOpen={create === true && reason === null}
        initialSiteId={site}
        onClose={() => setDialogOpen(false)}
      />
    </>
  );
}
