import { Trans } from '@lingui/react/macro';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { useAskedInAddress } from '../../../components/dialogs/use-asked-in-address.ts';
import { RemovalMenu } from '../../../components/menus/removal-menu.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { useDeleteEndpoint } from '../use-delete-endpoint.tsx';

const route = getRouteApi('/$orgId/endpoints/$endpointId');

/**
 * Further actions for the endpoint of the page; `onLeaving` is called when it is being deleted, and when that
 * fails.
 */
export function EndpointActions(props: { endpoint: Endpoint; onLeaving: (isLeaving: boolean) => void }) {
  const { endpoint, onLeaving } = props;
  const router = useRouter();
  const { organization } = useOrganization();
  const reason = usePermissionReason()('endpoint.delete');
  const deleteEndpoint = useDeleteEndpoint();
  const remove = async () => {
    onLeaving(true);
    const isGone = await deleteEndpoint(endpoint);
    if (!isGone) onLeaving(false);
    else await router.navigate({ to: '/$orgId/cdn', params: { orgId: organization.id } });
  };
  const search = route.useSearch();
  const navigate = route.useNavigate();
  useAskedInAddress(search.delete === true && reason === null, () => {
    void navigate({ search: {}, replace: true, resetScroll: false }).then(remove);
  });
  return (
    <RemovalMenu reason={reason} onRemove={() => void remove()}>
      <Trans>Delete endpoint</Trans>
    </RemovalMenu>
  );
}
