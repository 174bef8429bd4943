import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { matchesQuery } from '#server/services/shared/search-rules.ts';
import { StartAtFirstField } from '../../../components/focus/start-at-first-field.tsx';
import type { PagedQuery } from '../../../components/lists/load-more.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import classes from './checklist.module.css';
import { ChecklistSearch } from './checklist-search.tsx';
import { chosenFirst, notShown, withPicked } from './chosen-first.ts';

/** With fewer entries than this, scanning is quicker than searching. */
const SEARCH_FROM = 8;
const DEBOUNCE_MS = 200;
const SKELETON_WIDTHS = ['50%', '65%', '40%'];

/** What can be checked. */
export interface Choice {
  id: string;
  name: string;
}

/** What both checklists of a credential are given. */
export interface ChecklistProps<Entry extends Choice> {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  maxHeight: string;
  /** What was chosen before: it comes first, because it may be anywhere among hundreds. */
  chosen?: readonly Entry[];
}

/** What is typed into the search of a checklist, and what is searched: a little later. */
export function useChecklistSearch() {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), DEBOUNCE_MS);
  return { typed, setTyped, search };
}

/**
 * Entries with checkboxes, those chosen before first; it scrolls internally, loads further pages on demand, and offers a search
 * when there are many. What is found and checked stays in view when the search is cleared.
 */
export function Checklist<Entry extends Choice>(
  props: ChecklistProps<Entry> & {
    title: ReactNode;
    searchLabel: string;
    nothingFound: ReactNode;
    nothingThere: ReactNode;
    labelOf: (entry: Entry) => ReactNode;
    search: ReturnType<typeof useChecklistSearch>;
    /** The query of the entries, and those that it has read. */
    pages: PagedQuery & { data?: unknown; isPending: boolean; error: unknown };
    offered: readonly Entry[];
    /** The number of placeholder lines while the entries are loaded. */
    skeletons: number;
    /** Whether the dialog around it begins here. */
    isFirst?: boolean | undefined;
  },
) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const [picked, setPicked] = useState<readonly Entry[]>([]);
  const { selected, pages, offered, chosen: before = [] } = props;
  const { typed, setTyped, search } = props.search;
  const chosen = [...before, ...notShown(picked, [...before, ...offered])].filter(({ name }) =>
    matchesQuery(search, name),
  );
  const items = chosenFirst(chosen, offered);
  const toggle = (entry: Entry, isChecked: boolean) => {
    const next = new Set(selected);
    if (isChecked) next.add(entry.id);
    else next.delete(entry.id);
    if (isChecked) setPicked(withPicked(picked, entry));
    props.onChange(next);
  };
  const count = selected.size;
  const hasSearch = search !== '' || typed !== '' || items.length >= SEARCH_FROM;
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>
        {props.title}
        {count > 0 && (
          <Text span c="dimmed" size="xs" ml="xs">
            {t`${plural(count, { one: '# selected', other: '# selected' })}`}
          </Text>
        )}
      </legend>
      {hasSearch && <ChecklistSearch label={props.searchLabel} value={typed} onChange={setTyped} />}
      {/* Sighted keyboard users reach the boxes inside, so the scrolling region itself takes no focus. */}
      <div className={classes.list} style={{ maxHeight: props.maxHeight }}>
        {pages.isPending && (
          <Stack gap="sm" role="status" aria-label={t`Loading`}>
            {SKELETON_WIDTHS.slice(0, props.skeletons).map((width) => (
              <Skeleton key={width} height={18} width={width} />
            ))}
          </Stack>
        )}
        {pages.error !== null && (
          <Text size="sm" c="red" role="alert">
            {describe(pages.error)}
          </Text>
        )}
        {pages.data !== undefined && items.length === 0 && (
          <Text size="sm" c="dimmed">
            {search ? props.nothingFound : props.nothingThere}
          </Text>
        )}
        {items.map((entry) => (
          <Checkbox
            key={entry.id}
            size="sm"
            label={props.labelOf(entry)}
            classNames={{ label: classes.label, body: classes.row }}
            checked={selected.has(entry.id)}
            onChange={(event) => toggle(entry, event.currentTarget.checked)}
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
      {props.isFirst && pages.data !== undefined && <StartAtFirstField />}
    </fieldset>
  );
}
