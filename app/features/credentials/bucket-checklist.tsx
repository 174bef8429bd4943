import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, Skeleton, Text } from '@mantine/core';
import { memo, useState } from 'react';
import { matchesQuery } from '#server/services/shared/search-rules.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { regionName } from '../storage/buckets/region-name.ts';
import { useBuckets } from '../storage/buckets/use-buckets.ts';
import { hasStorage } from '../storage/has-storage.ts';
import classes from './checklist.module.css';
import { ChecklistSearch } from './checklist-search.tsx';
import { chosenFirst } from './chosen-first.ts';

/** With fewer buckets than this, scanning is quicker than searching. */
const SEARCH_FROM = 8;

/**
 * The organization's buckets with checkboxes and regions, those chosen before first; it offers a search when there
 * are many, and renders nothing without object storage. Typing in another field does not render it again.
 */
export const BucketChecklist = memo(function BucketChecklist(props: {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  maxHeight: string;
}) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const isOn = hasStorage(organization);
  const buckets = useBuckets(organization.id, isOn);
  const [search, setSearch] = useState('');
  const [before] = useState(props.selected);
  if (!isOn) return null;
  const toggle = (id: string, isChecked: boolean) => {
    const next = new Set(props.selected);
    if (isChecked) next.add(id);
    else next.delete(id);
    props.onChange(next);
  };
  const count = props.selected.size;
  // A bucket that is being deleted cannot be selected.
  const offered = buckets.data?.filter(({ status }) => status !== 'deleting') ?? [];
  const ordered = chosenFirst(
    offered.filter(({ id }) => before.has(id)),
    offered,
  );
  const found = ordered.filter(({ name }) => matchesQuery(search, name));
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>
        <Trans>Storage buckets</Trans>
        {count > 0 && (
          <Text span c="dimmed" size="xs" ml="xs">
            {t`${plural(count, { one: '# selected', other: '# selected' })}`}
          </Text>
        )}
      </legend>
      {offered.length >= SEARCH_FROM && (
        <ChecklistSearch label={t`Search buckets`} value={search} onChange={setSearch} />
      )}
      <div className={classes.list} style={{ maxHeight: props.maxHeight }}>
        {buckets.isPending && (
          <div role="status" aria-label={t`Loading`}>
            <Skeleton height={18} width="50%" />
          </div>
        )}
        {buckets.error && (
          <Text size="sm" c="red" role="alert">
            {describe(buckets.error)}
          </Text>
        )}
        {buckets.data && found.length === 0 && (
          <Text size="sm" c="dimmed">
            {search ? <Trans>No bucket matches.</Trans> : <Trans>There are no buckets yet.</Trans>}
          </Text>
        )}
        {found.map((bucket) => (
          <Checkbox
            key={bucket.id}
            size="sm"
            label={
              <>
                {bucket.name}{' '}
                <Text span size="xs" c="dimmed">
                  {regionName(bucket.region)}
                </Text>
              </>
            }
            classNames={{ label: classes.label, body: classes.row }}
            checked={props.selected.has(bucket.id)}
            onChange={(event) => toggle(bucket.id, event.currentTarget.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
});
