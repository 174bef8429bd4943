import { useLingui } from '@lingui/react/macro';
import SidePanelDrawer from '../../../components/dialogs/side-panel-drawer.tsx';
import { CreateSiteForm } from './create-site-form.tsx';

/** The panel that creates a site. */
export default function CreateSitePanel({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <SidePanelDrawer isOpen={isOpen} onClose={onClose} title={t`Create site`} size="md" closeLabel={t`Close`}>
      <CreateSiteForm onCancel={onClose} />
    </SidePanelDrawer>
  );
}
