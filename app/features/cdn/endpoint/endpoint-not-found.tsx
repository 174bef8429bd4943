import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../../components/links.tsx';
import { NotFoundNotice } from '../../../components/page/not-found-notice.tsx';

/** The page of an endpoint that does not exist here. */
export function EndpointNotFound() {
  const { orgId } = useParams({ from: '/$orgId' });
  return (
    <NotFoundNotice
      title={<Trans>CDN endpoint not found</Trans>}
      back={
        <ButtonLink to="/$orgId/cdn" params={{ orgId }} variant="default">
          <Trans>Back to CDN</Trans>
        </ButtonLink>
      }
    />
  );
}
