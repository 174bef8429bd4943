import { Trans } from '@lingui/react/macro';
import type { Site } from '#server/services/sites/schema.ts';
import { SuspensionNotice } from '../../../components/suspension-notice.tsx';

/** Says that an operator has suspended a site, and why. Renders nothing otherwise. */
export function SiteSuspension({ site }: { site: Site }) {
  if (site.suspended_at === null) return null;
  return (
    <SuspensionNotice title={<Trans>This site is suspended</Trans>} reason={site.suspension_reason}>
      <Trans>
        Visitors get a plain page at its address, its previews and its hostnames. Everything else works as
        before; the operator of this installation can lift the suspension.
      </Trans>
    </SuspensionNotice>
  );
}
