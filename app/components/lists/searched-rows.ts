/** A searched list in pages, as the query library describes it. */
interface SearchedPages<Row> {
  data?: { pages: readonly { items: Row[] }[] } | undefined;
  isSuccess: boolean;
  isPlaceholderData: boolean;
}

/** Returns the rows of the pages that have been read, and whether the whole list has none. */
export function searchedRows<Row>(
  { data, isSuccess, isPlaceholderData }: SearchedPages<Row>,
  search: string | undefined,
): { rows: Row[]; hasNone: boolean } {
  const rows = data?.pages.flatMap(({ items }) => items) ?? [];
  // After a search, its rows stay until those of the whole list are there.
  return { rows, hasNone: isSuccess && !isPlaceholderData && rows.length === 0 && search === undefined };
}
