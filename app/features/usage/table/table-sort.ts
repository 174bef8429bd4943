/** The columns that a table of usage can be sorted by. */
export const SORT_COLUMNS = ['name', 'requests', 'bandwidth', 'hit_rate', 'errors'] as const;
export type SortColumn = (typeof SORT_COLUMNS)[number];
/** A column, with a minus in front when what is most stands first. */
export type TableSort = SortColumn | `-${SortColumn}`;

/** What costs most stands first. */
export const DEFAULT_SORT: TableSort = '-bandwidth';

/** `?sort=name` or `?sort=-requests`; the order that stands without it counts as absent. */
export function sortParam(value: unknown): TableSort | undefined {
  const sorts = SORT_COLUMNS.flatMap((column) => [column, `-${column}` as const]);
  return sorts.find((sort) => sort === value && sort !== DEFAULT_SORT);
}

/** Returns the column of an order, and whether what is least stands first. */
export function readSort(sort: TableSort): { column: SortColumn; isAscending: boolean } {
  const isAscending = !sort.startsWith('-');
  // Safe: what is left of an order without its minus is its column.
  return { column: (isAscending ? sort : sort.slice(1)) as SortColumn, isAscending };
}

/** Returns the order after a column was chosen: names from A, figures from the most; once more turns it round. */
export function nextSort(sort: TableSort, column: SortColumn): TableSort {
  const now = readSort(sort);
  if (now.column !== column) return column === 'name' ? column : `-${column}`;
  return now.isAscending ? `-${column}` : column;
}
