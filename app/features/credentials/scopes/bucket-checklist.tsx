import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { memo } from 'react';
import { useOrganization } from '../../organizations/use-organization.ts';
import { regionName } from '../../storage/buckets/region-name.ts';
import { useBucketPages } from '../../storage/buckets/use-buckets.ts';
import { hasStorage } from '../../storage/has-storage.ts';
import { Checklist, type ChecklistProps, type Choice, useChecklistSearch } from './checklist.tsx';

interface BucketChoice extends Choice {
  region: string;
}

/**
 * The organization's buckets with checkboxes and regions; it renders nothing without object storage. Typing in another field
 * does not render it again.
 */
export const BucketChecklist = memo(function BucketChecklist(props: ChecklistProps<BucketChoice>) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const isOn = hasStorage(organization);
  const search = useChecklistSearch();
  const { pages, rows } = useBucketPages(organization.id, search.search || undefined, isOn);
  if (!isOn) return null;
  return (
    <Checklist<BucketChoice>
      {...props}
      title={<Trans>Storage buckets</Trans>}
      searchLabel={t`Search buckets`}
      nothingFound={<Trans>No bucket matches.</Trans>}
      nothingThere={<Trans>There are no buckets yet.</Trans>}
      labelOf={({ name, region }) => (
        <>
          {name}{' '}
          <Text span size="xs" c="dimmed">
            {regionName(region)}
          </Text>
        </>
      )}
      search={search}
      pages={pages}
      // A bucket that is being deleted cannot be selected.
      offered={rows.filter(({ status }) => status !== 'deleting')}
      skeletons={1}
    />
  );
});
