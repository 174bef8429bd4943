import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { matchesQuery } from '#server/services/shared/search-rules.ts';
import { StartAtFirstField } from '../../components/focus/start-at-first-field.tsx';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import classes from './checklist.module.css';
import { ChecklistSearch } from './checklist-search.tsx';
import { chosenFirst, notShown, withPicked } from './chosen-first.ts';

/** With fewer sites than this, scanning is quicker than searching. */
const SEARCH_FROM = 8;
/** A change renders every box shown; whoever has more sites searches. */
const PAGE_SIZE = 50;
const DEBOUNCE_MS = 200;

interface SiteChoice {
  id: string;
  name: string;
}

/**
 * The organization's sites with checkboxes; it scrolls internally, and offers a search when there are many. Typing
 * in another field of the form does not render it again.
 */
export const SiteChecklist = memo(function SiteChecklist(props: {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  maxHeight: string;
  /** What was chosen before: it comes first, because it may be anywhere among hundreds. */
  chosen?: readonly SiteChoice[];
  /** Whether the dialog around it begins here. */
  isFirst?: boolean;
}) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const [picked, setPicked] = useState<readonly SiteChoice[]>([]);
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), DEBOUNCE_MS);
  const sites = trpc.sites.list.useInfiniteQuery(
    { organization_id: organization.id, limit: PAGE_SIZE, search: search || undefined },
    { getNextPageParam: (page) => page.next_cursor, placeholderData: keepPreviousData },
  );
  const loaded: SiteChoice[] = sites.data?.pages.flatMap((page) => page.items) ?? [];
  const before = props.chosen ?? [];
  const chosen = [...before, ...notShown(picked, [...before, ...loaded])].filter(({ name }) =>
    matchesQuery(search, name),
  );
  const items = chosenFirst(chosen, loaded);
  const toggle = (site: SiteChoice, isChecked: boolean) => {
    const next = new Set(props.selected);
    if (isChecked) next.add(site.id);
    else next.delete(site.id);
    if (isChecked) setPicked(withPicked(picked, site));
    props.onChange(next);
  };
  const count = props.selected.size;
  const hasSearch = search !== '' || typed !== '' || items.length >= SEARCH_FROM;

  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>
        <Trans>Sites</Trans>
        {count > 0 && (
          <Text span c="dimmed" size="xs" ml="xs">
            {t`${plural(count, { one: '# selected', other: '# selected' })}`}
          </Text>
        )}
      </legend>
      {hasSearch && <ChecklistSearch label={t`Search sites`} value={typed} onChange={setTyped} />}
      {/* Sighted keyboard users reach the boxes inside, so the scrolling region itself takes no focus. */}
      <div className={classes.list} style={{ maxHeight: props.maxHeight }}>
        {sites.isPending && <Skeletons label={t`Loading`} />}
        {sites.error && (
          <Text size="sm" c="red" role="alert">
            {describe(sites.error)}
          </Text>
        )}
        {sites.data && items.length === 0 && (
          <Text size="sm" c="dimmed">
            {search ? <Trans>No site matches.</Trans> : <Trans>There are no sites yet.</Trans>}
          </Text>
        )}
        {items.map((site) => (
          <Checkbox
            key={site.id}
            size="sm"
            label={site.name}
            classNames={{ label: classes.label, body: classes.row }}
            checked={props.selected.has(site.id)}
            onChange={(event) => toggle(site, event.currentTarget.checked)}
          />
        ))}
        {sites.hasNextPage && (
          <Button
            variant="subtle"
            size="xs"
            loading={sites.isFetchingNextPage}
            onClick={() => void sites.fetchNextPage()}
          >
            <Trans>Show more</Trans>
          </Button>
        )}
      </div>
      {props.isFirst && sites.data && <StartAtFirstField />}
    </fieldset>
  );
});

function Skeletons({ label }: { label: string }) {
  return (
    <Stack gap="sm" role="status" aria-label={label}>
      <Skeleton height={18} width="50%" />
      <Skeleton height={18} width="65%" />
      <Skeleton height={18} width="40%" />
    </Stack>
  );
}
