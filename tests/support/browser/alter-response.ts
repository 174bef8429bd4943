import type { Page } from 'playwright';

/**
 * Changes a procedure's responses to this page from now on, as if the server had sent them: for states that a
 * real server reaches only after days. What the server rendered into the page stays until the page refetches.
 * @returns a function that changes it differently from then on
 */
export async function alterResponse<T>(
  page: Page,
  procedure: string,
  change: (response: T) => T,
): Promise<(change: (response: T) => T) => void> {
  let current = change;
  await page.route(
    ({ pathname }) => proceduresOf(pathname).includes(procedure),
    async (route) => {
      const response = await route.fetch().catch(() => null);
      const responses: { result?: { data: { json: T } } }[] = await response?.json().catch(() => null);
      // The window has been closed in the meantime.
      if (!response || !responses) return;
      const altered = responses.map((answer, index) => {
        const isMeant = proceduresOf(new URL(route.request().url()).pathname)[index] === procedure;
        if (!isMeant || !answer.result) return answer;
        return { result: { data: { ...answer.result.data, json: current(answer.result.data.json) } } };
      });
      await route.fulfill({ response, json: altered });
    },
  );
  return (next) => {
    current = next;
  };
}

/** The procedures of a batch, listed in its address in order. */
function proceduresOf(pathname: string): string[] {
  const [, names] = /^\/api\/trpc\/(.+)$/.exec(pathname) ?? [];
  return names === undefined ? [] : decodeURIComponent(names).split(',');
}
