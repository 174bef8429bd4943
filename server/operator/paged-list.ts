import { type CommandInput, type CommandOption, textOption } from './command.ts';
import { table } from './format-text.ts';

/** Returns the options of a list with search, a state filter and pages. */
export function pageOptions(searched: string, states: string): Record<string, CommandOption> {
  return {
    search: textOption('TEXT', searched),
    state: textOption(states, 'only those in this state'),
    limit: textOption('NUMBER', 'how many per page (50)'),
    cursor: textOption('CURSOR', 'where the previous page ended'),
  };
}

/** Returns the given {@link pageOptions}, for the schema of the list's input. */
export function pageInput({ option }: CommandInput) {
  return {
    search: option('search'),
    state: option('state'),
    limit: option('limit'),
    cursor: option('cursor'),
  };
}

/** Shows a page as a table, and how to request the next one. */
export function showPage(
  head: readonly string[],
  rows: Parameters<typeof table>[1],
  { none, nextCursor }: { none: string; nextCursor: string | null },
): string {
  const shown = table(head, rows, none);
  return nextCursor === null ? shown : `${shown}\n\nThere are more: --cursor ${nextCursor}`;
}
