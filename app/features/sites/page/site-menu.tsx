import { Trans } from '@lingui/react/macro';
import { getRouteApi } from '@tanstack/react-router';
import type { Site } from '#server/services/sites/schema.ts';
import { useAskedInAddress } from '../../../components/dialogs/use-asked-in-address.ts';
import { RemovalMenu } from '../../../components/menus/removal-menu.tsx';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { useDeleteSite } from '../use-delete-site.tsx';

const route = getRouteApi('/$orgId/sites/$siteId');

/** Further actions for a site. */
export function SiteMenu({ site }: { site: Site }) {
  const reason = usePermissionReason()('site.delete');
  const deleteSite = useDeleteSite(site);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  useAskedInAddress(search.delete === true && reason === null, () => {
    void navigate({ search: {}, replace: true, resetScroll: false }).then(deleteSite);
  });
  return (
    <RemovalMenu reason={reason} onRemove={() => void deleteSite()}>
      <Trans>Delete site</Trans>
    </RemovalMenu>
  );
}
