import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../../components/links.tsx';
import { NotFoundNotice } from '../../../components/page/not-found-notice.tsx';

/** The page of a site that does not exist here. */
export function SiteNotFound() {
  const { orgId } = useParams({ from: '/$orgId' });
  return (
    <NotFoundNotice
      title={<Trans>Site not found</Trans>}
      back={
        <ButtonLink to="/$orgId/sites" params={{ orgId }} activeOptions={{ exact: true }} variant="default">
          <Trans>Back to Sites</Trans>
        </ButtonLink>
      }
    />
  );
}
