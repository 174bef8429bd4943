import { useLingui } from '@lingui/react/macro';
import { useFoundEntries } from './entries/use-found-entries.ts';
import { usePaletteEntries } from './entries/use-palette-entries.ts';
import type { PaletteEntry } from './palette-entry.ts';
import { PALETTE_KEYWORDS } from './palette-keywords.ts';
import { rankEntries } from './rank-entries.ts';

interface PaletteGroup {
  label: string;
  entries: PaletteEntry[];
}

/** How many of a group are shown: more would have to be scrolled past, and are one word away. */
const SHOWN_MAX = 8;
/** Actions for the current site that are shown before anything is typed. */
const SITE_ACTIONS_SHOWN = 4;

/**
 * Returns the groups of the palette: recent entries and then everything in order while nothing is typed,
 * otherwise the entries that match `query`, the group with the best match first. `search` is sent to the
 * server, a little later than it is typed.
 */
export function usePaletteGroups(options: { query: string; search: string; recent: readonly string[] }): {
  groups: PaletteGroup[];
  isFetching: boolean;
  hasFailed: boolean;
} {
  const { query, search, recent } = options;
  const { t, i18n } = useLingui();
  const own = usePaletteEntries();
  const { isFetching, hasFailed, ...found } = useFoundEntries(search);
  const isEmpty = query.trim() === '';
  const withKeywords = (entries: PaletteEntry[]) =>
    entries.map((entry) => {
      const keywords = PALETTE_KEYWORDS[entry.id];
      return keywords ? { ...entry, keywords: i18n._(keywords) } : entry;
    });
  const all: PaletteGroup[] = [
    { label: t`Pages`, entries: withKeywords(own.pages) },
    { label: t`Sites`, entries: found.sites },
    { label: t`CDN endpoints`, entries: found.endpoints },
    {
      label: t`Actions`,
      entries: withKeywords([
        ...own.actions,
        ...(isEmpty
          ? found.siteActions.slice(0, SITE_ACTIONS_SHOWN)
          : [...found.siteActions, ...own.typedActions, ...found.deletions]),
      ]),
    },
    { label: t`Credentials`, entries: isEmpty ? [] : found.credentials },
    { label: t`Members`, entries: isEmpty ? [] : found.members },
    { label: t`Documentation`, entries: withKeywords(own.documentation) },
    { label: t`Organizations`, entries: own.organizations },
  ];
  const isShown = ({ entries }: PaletteGroup) => entries.length > 0;
  if (!isEmpty) {
    const everything = rankEntries(
      query,
      all.flatMap((group) => group.entries),
    );
    const best = (group: PaletteGroup) =>
      everything.findIndex((entry) => group.entries.some(({ id }) => id === entry.id));
    const ranked = all.map(({ label, entries }) => ({
      label,
      entries: rankEntries(query, entries).slice(0, SHOWN_MAX),
    }));
    return { groups: ranked.filter(isShown).toSorted((a, b) => best(a) - best(b)), isFetching, hasFailed };
  }
  const byId = new Map(all.flatMap(({ entries }) => entries).map((entry) => [entry.id, entry]));
  const latest = recent.flatMap((id) => byId.get(id) ?? []);
  const isLatest = (entry: PaletteEntry) => latest.includes(entry);
  const rest = all.map(({ label, entries }) => ({
    label,
    entries: entries.filter((entry) => !isLatest(entry)).slice(0, limitOf(entries, own.actions)),
  }));
  return { groups: [{ label: t`Recent`, entries: latest }, ...rest].filter(isShown), isFetching, hasFailed };
}

/** All pages and actions are shown; of what an organization may have hundreds of, the first few. */
function limitOf(entries: readonly PaletteEntry[], actions: readonly PaletteEntry[]): number {
  const isFixed = entries.some(
    ({ id }) => id.startsWith('page ') || actions.some((action) => action.id === id),
  );
  return isFixed ? entries.length : SHOWN_MAX;
}
