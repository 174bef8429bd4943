/** The columns that a table of usage can be sorted by. */
const SORT_COLUMNS = ['name', 'requests', 'bandwidth', 'hit_rate', 'errors'] as const;
export type SortColumn = (typeof SORT_COLUMNS)[number];
/** A column, with a leading minus for descending order. */
export type TableSort = SortColumn | `-${SortColumn}`;

/** The highest bandwidth first. */
export const DEFAULT_SORT: TableSort = '-bandwidth';

/** `?sort=name` or `?sort=-requests`; the default order counts as absent. */
export function sortParam(value: unknown): TableSort | undefined {
  const sorts = SORT_COLUMNS.flatMap((column) => [column, `-${column}` as const]);
  return sorts.find((sort) => sort === value && sort !== DEFAULT_SORT);
}

/** Returns the column of an order, and whether it is ascending. */
export function readSort(sort: TableSort): { column: SortColumn; isAscending: boolean } {
  const isAscending = !sort.startsWith('-');
  // Safe: an order without its minus is a column.
  return { column: (isAscending ? sort : sort.slice(1)) as SortColumn, isAscending };
}

/**
 * Returns the order after a column was chosen: names from A, numbers from the highest; choosing it again
 * reverses it.
 */
export function nextSort(sort: TableSort, column: SortColumn): TableSort {
  const now = readSort(sort);
  if (now.column !== column) return column === 'name' ? column : `-${column}`;
  return now.isAscending ? `-${column}` : column;
}
