import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, Skeleton, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { memo, useState } from 'react';
import { matchesQuery } from '#server/services/shared/search-rules.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { regionName } from '../storage/buckets/region-name.ts';
import { useBucketPages } from '../storage/buckets/use-buckets.ts';
import { hasStorage } from '../storage/has-storage.ts';
import classes from './checklist.module.css';
import { ChecklistSearch } from './checklist-search.tsx';
import { chosenFirst, notShown, withPicked } from './chosen-first.ts';

/** With fewer buckets than this, scanning is quicker than searching. */
const SEARCH_FROM = 8;
const DEBOUNCE_MS = 200;

/** A bucket that can be chosen. */
export interface BucketChoice {
  id: string;
  name: string;
  region: string;
}

/**
 * The organization's buckets with checkboxes and regions, those chosen before first; it offers a search when there
 * are many, and renders nothing without object storage. Typing in another field does not render it again.
 */
export const BucketChecklist = memo(function BucketChecklist(props: {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  maxHeight: string;
  /** What was chosen before: it comes first, because it may be anywhere among hundreds. */
  chosen?: readonly BucketChoice[];
}) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const isOn = hasStorage(organization);
  const [picked, setPicked] = useState<readonly BucketChoice[]>([]);
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), DEBOUNCE_MS);
  const { pages, rows } = useBucketPages(organization.id, search || undefined, isOn);
  if (!isOn) return null;
  const toggle = (bucket: BucketChoice, isChecked: boolean) => {
    const next = new Set(props.selected);
    if (isChecked) next.add(bucket.id);
    else next.delete(bucket.id);
    if (isChecked) setPicked(withPicked(picked, bucket));
    props.onChange(next);
  };
  const count = props.selected.size;
  // A bucket that is being deleted cannot be selected.
  const offered: BucketChoice[] = rows.filter(({ status }) => status !== 'deleting');
  const before = props.chosen ?? [];
  const chosen = [...before, ...notShown(picked, [...before, ...offered])].filter(({ name }) =>
    matchesQuery(search, name),
  );
  const items = chosenFirst(chosen, offered);
  const hasSearch = search !== '' || typed !== '' || items.length >= SEARCH_FROM;
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
      {hasSearch && <ChecklistSearch label={t`Search buckets`} value={typed} onChange={setTyped} />}
      <div className={classes.list} style={{ maxHeight: props.maxHeight }}>
        {pages.isPending && (
          <div role="status" aria-label={t`Loading`}>
            <Skeleton height={18} width="50%" />
          </div>
        )}
        {pages.error && (
          <Text size="sm" c="red" role="alert">
            {describe(pages.error)}
          </Text>
        )}
        {pages.data && items.length === 0 && (
          <Text size="sm" c="dimmed">
            {search ? <Trans>No bucket matches.</Trans> : <Trans>There are no buckets yet.</Trans>}
          </Text>
        )}
        {items.map((bucket) => (
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
            onChange={(event) => toggle(bucket, event.currentTarget.checked)}
          />
        ))}
        {pages.hasNextPage && (
          <Button
            variant="subtle"
            size="xs"
            loading={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            <Trans>Show more</Trans>
          </Button>
        )}
      </div>
    </fieldset>
  );
});
