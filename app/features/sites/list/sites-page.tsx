import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { useLoadedWhen } from '../../../components/lazy-parts/use-loaded-when.ts';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { LimitNotice } from '../../limits/limit-notice.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { SitesList } from './sites-list.tsx';
import { useSites } from './use-sites.ts';

const sitesRoute = getRouteApi('/$orgId/sites/');
const loadPanel = () => import('./create-site-panel.tsx');
const fetchPanel = () => void loadPanel().catch(() => undefined);

/**
 * Every site of the organization, and the panel that creates one; search and open panel are in the address.
 */
export function SitesPage() {
  const { organization } = useOrganization();
  const { create } = sitesRoute.useSearch();
  const { hasNone } = useSites();
  const navigate = sitesRoute.useNavigate();
  const reasonNot = usePermissionReason();
  const createReason = reasonNot('site.create');
  const setPanelOpen = (isOpen: boolean) =>
    void navigate({
      search: (search) => ({ ...search, create: isOpen || undefined }),
      replace: !isOpen,
      resetScroll: false,
    });
  const closePanel = () => setPanelOpen(false);
  const isPanelOpen = create === true && createReason === null;
  const CreateSitePanel = useLoadedWhen(isPanelOpen, loadPanel, closePanel);

  const createButton = (
    <ReasonedAction reason={createReason} onAct={() => setPanelOpen(true)} onIntent={fetchPanel}>
      {(action) => (
        <Button leftSection={<IconPlus size={16} aria-hidden />} {...action}>
          <Trans>Create site</Trans>
        </Button>
      )}
    </ReasonedAction>
  );
  return (
    <>
      <PageHeader
        title={<Trans>Sites</Trans>}
        subtitle={<Trans>Static sites: deploy a folder, see it live, roll it back.</Trans>}
        actions={!hasNone && createButton}
      />
      <LimitNotice organizationId={organization.id} of={['sites']} />
      {/* Another organization's list starts afresh: nothing of the one before is shown meanwhile. */}
      <SitesList key={organization.id} createButton={createButton} />
      {CreateSitePanel && <CreateSitePanel isOpen={isPanelOpen} onClose={closePanel} />}
    </>
  );
}
