/** Objects in one response. */
export const PAGE = 100;
/** Pages of one list that are read. */
const PAGES_MAX = 50;

/** Returns the objects of a list at the provider, page by page, newest first. */
export async function listAll<T extends { id: string }>(
  read: (page: { limit: number; starting_after?: string }) => Promise<{ data: T[]; has_more: boolean }>,
): Promise<T[]> {
  const found: T[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const after = found.at(-1)?.id;
    const { data, has_more } = await read({
      limit: PAGE,
      ...(after !== undefined && { starting_after: after }),
    });
    found.push(...data);
    if (!has_more || data.length === 0) break;
  }
  return found;
}
