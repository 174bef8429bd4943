/**
 * Returns where a page's search field leads: the same page with this search, or with none. What has been scrolled to
 * stays in view, and Back does not pass through every letter.
 */
export function searchInAddress(text: string) {
  return {
    search: <Search extends object>(before: Search) => ({ ...before, search: text || undefined }),
    replace: true,
    resetScroll: false,
  };
}
