import { Trans } from '@lingui/react/macro';
import { AnchorLink } from '../../../components/links.tsx';
import { Breadcrumbs } from '../../../components/page/breadcrumbs.tsx';
import { foldersOf, nameOf } from './key-names.ts';
import { useBucketParams } from './use-bucket-params.ts';

/** The way from the list of buckets to the folder that is shown. */
export function BucketCrumbs({ name, prefix }: { name: string; prefix: string }) {
  const { organization_id: orgId, bucket_id: bucketId } = useBucketParams();
  const folders = foldersOf(prefix);
  const current = folders.at(-1);
  return (
    <Breadcrumbs current={current === undefined ? name : nameOf(current, folders.at(-2) ?? '')}>
      <AnchorLink to="/$orgId/storage" params={{ orgId }} activeOptions={{ exact: true }}>
        <Trans>Object storage</Trans>
      </AnchorLink>
      {current !== undefined && (
        <AnchorLink
          to="/$orgId/storage/$bucketId"
          params={{ orgId, bucketId }}
          activeOptions={{ exact: true }}
        >
          {name}
        </AnchorLink>
      )}
      {folders.slice(0, -1).map((folder, index) => (
        <AnchorLink
          key={folder}
          to="/$orgId/storage/$bucketId"
          params={{ orgId, bucketId }}
          search={{ prefix: folder }}
        >
          {nameOf(folder, folders[index - 1] ?? '')}
        </AnchorLink>
      ))}
    </Breadcrumbs>
  );
}
