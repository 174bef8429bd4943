import { Trans, useLingui } from '@lingui/react/macro';
import { Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, type Ref, useEffect, useId, useRef, useState } from 'react';
import { useHomeOrganization } from '../organizations/use-organization.ts';
import classes from './command-palette.module.css';
import { readRecent, rememberRecent } from './entries/recent-entries.ts';
import type { PaletteEntry } from './palette-entry.ts';
import { isCloseMatch } from './rank-entries.ts';
import { usePaletteGroups } from './use-palette-groups.ts';

const DEBOUNCE_MS = 150;

/** Finds every page, everything of the organization and the common actions by typing. */
export default function CommandPalette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      centered={false}
      yOffset="12vh"
      padding={0}
      size="37.5rem"
      transitionProps={{ duration: 0 }}
      attributes={{ content: { 'aria-label': t`Search and commands` } }}
      classNames={{ content: classes.content }}
    >
      <PaletteBody onClose={onClose} />
    </Modal>
  );
}

/**
 * The field and the list. The highlight belongs to an entry and not to a line: it stays when results arrive
 * above it, and Enter uses it. Only what is merely similar to what was typed gives way to a better match.
 */
function PaletteBody({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const { organization } = useHomeOrganization();
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState('');
  const [search] = useDebouncedValue(query.trim(), DEBOUNCE_MS);
  const [recent] = useState(() => readRecent(organization.id));
  const { groups, isFetching, hasFailed } = usePaletteGroups({ query, search, recent });
  const entries = groups.flatMap((group) => group.entries);
  // Of what was typed: typing on selects the best match again.
  const [picked, setPicked] = useState<{ query: string; id: string | null } | null>(null);
  const pick = (id: string | null) => setPicked({ query, id });
  const highlighted =
    (picked?.query === query && entries.find((entry) => entry.id === picked.id)) || entries[0];
  const highlightedId = highlighted?.id ?? null;
  const isKept = highlighted !== undefined && isCloseMatch(query, highlighted);
  // The first entry when the query changed stays the one that Enter uses.
  useEffect(() => {
    if (isKept) setPicked({ query, id: highlightedId });
  }, [query, highlightedId, isKept]);

  const run = (entry: PaletteEntry) => {
    rememberRecent(organization.id, entry.id);
    onClose();
    entry.run();
  };
  const move = (step: number) => {
    const at = entries.findIndex((entry) => entry.id === highlightedId);
    const next = entries[(at + step + entries.length) % entries.length];
    if (!next) return;
    pick(next.id);
    document.getElementById(optionId(listId, next.id))?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && highlighted) run(highlighted);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className={classes.search}>
        <IconSearch size={18} stroke={1.75} aria-hidden />
        <input
          data-autofocus
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={highlighted && optionId(listId, highlighted.id)}
          aria-autocomplete="list"
          aria-label={t`Search and commands`}
          placeholder={t`Go to a page, site or hostname, or do something…`}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            list.current?.scrollTo({ top: 0 });
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <Results
        ref={list}
        id={listId}
        groups={groups}
        highlightedId={highlightedId}
        onPoint={pick}
        onRun={run}
      />
      <SearchStatus isEmpty={entries.length === 0} isFetching={isFetching} hasFailed={hasFailed} />
    </>
  );
}

/** The list of entries. The field keeps the focus and moves the highlight: the list is reached by the arrow keys. */
function Results(props: {
  ref: Ref<HTMLDivElement>;
  id: string;
  groups: ReturnType<typeof usePaletteGroups>['groups'];
  highlightedId: string | null;
  onPoint: (id: string) => void;
  onRun: (entry: PaletteEntry) => void;
}) {
  const { t } = useLingui();
  const { id: listId, highlightedId } = props;
  return (
    <div
      ref={props.ref}
      id={listId}
      role="listbox"
      tabIndex={-1}
      aria-label={t`Results`}
      className={classes.list}
    >
      {props.groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox groups its options by this role.
        <div key={group.label} role="group" aria-label={group.label}>
          <div className={classes.group} aria-hidden>
            {group.label}
          </div>
          {group.entries.map((entry) => (
            <Option
              key={entry.id}
              id={optionId(listId, entry.id)}
              entry={entry}
              isHighlighted={entry.id === highlightedId}
              onPoint={() => props.onPoint(entry.id)}
              onRun={() => props.onRun(entry)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

/** Says that a search is running, was incomplete or found nothing; otherwise nothing. */
function SearchStatus(props: { isEmpty: boolean; isFetching: boolean; hasFailed: boolean }) {
  const { isEmpty, isFetching, hasFailed } = props;
  const shownAs = hasFailed ? classes.partial : 'visually-hidden';
  return (
    <div role="status" className={isEmpty ? classes.empty : shownAs}>
      <StatusWords isSearching={isEmpty && isFetching} hasFailed={hasFailed} isEmpty={isEmpty} />
    </div>
  );
}

function StatusWords(props: { isSearching: boolean; hasFailed: boolean; isEmpty: boolean }) {
  if (props.isSearching) return <Trans>Searching…</Trans>;
  if (props.hasFailed)
    return <Trans>Not everything could be searched. The search is repeated when the server is back.</Trans>;
  return props.isEmpty && <Trans>Nothing matches.</Trans>;
}

function optionId(listId: string, entryId: string): string {
  return `${listId}-${entryId.replaceAll(' ', '-')}`;
}

function Option(props: {
  id: string;
  entry: PaletteEntry;
  isHighlighted: boolean;
  onPoint: () => void;
  onRun: () => void;
}) {
  const { id, entry, isHighlighted, onPoint, onRun } = props;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and its Enter runs what is highlighted.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isHighlighted}
      className={classes.option}
      // Only a moving pointer highlights: a list that changes under a resting one must not move the
      // highlight.
      onPointerMove={isHighlighted ? undefined : onPoint}
      onClick={onRun}
    >
      <entry.icon size={18} stroke={1.6} aria-hidden />
      <span className={classes.words}>
        <span>{entry.label}</span>
        {entry.detail && <span className={classes.detail}>{entry.detail}</span>}
      </span>
    </div>
  );
}
