import { Trans } from '@lingui/react/macro';
import type { Site } from '#server/services/sites/schema.ts';
import { RemovalMenu } from '../../components/removal-menu.tsx';
import { usePermissionReason } from '../organizations/use-permission-reason.ts';
import { useDeleteSite } from './use-delete-site.tsx';

/** Further actions for a site. */
export function SiteMenu({ site }: { site: Site }) {
  const reason = usePermissionReason()('site.delete');
  const deleteSite = useDeleteSite(site);
  return (
    <RemovalMenu reason={reason} onRemove={() => void deleteSite()}>
      <Trans>Delete site</Trans>
    </RemovalMenu>
  );
}
