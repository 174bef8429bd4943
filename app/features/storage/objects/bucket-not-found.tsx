import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../../components/links.tsx';
import { NotFoundNotice } from '../../../components/page/not-found-notice.tsx';

/** The page of a bucket that does not exist here. */
export function BucketNotFound() {
  const { orgId } = useParams({ from: '/$orgId' });
  return (
    <NotFoundNotice
      title={<Trans>Bucket not found</Trans>}
      back={
        <ButtonLink to="/$orgId/storage" params={{ orgId }} activeOptions={{ exact: true }} variant="default">
          <Trans>Back to object storage</Trans>
        </ButtonLink>
      }
    />
  );
}
