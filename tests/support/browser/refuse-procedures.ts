import type { Page } from 'playwright';

/**
 * Refuses these procedures for this page until they are removed from the set, like the server would: the rest
 * of the batch is answered. Unlike a failure, a refusal is not retried automatically.
 */
export async function refuseProcedures(page: Page, refused: ReadonlySet<string>): Promise<void> {
  const refusal = { code: 'permission_required', message: '', params: {}, fields: [], request_id: null };
  const error = { json: { message: '', code: -32_600, data: { httpStatus: 403, error: refusal } } };
  await page.route('**/api/trpc/**', async (route) => {
    const names = decodeURIComponent(new URL(route.request().url()).pathname)
      .replace('/api/trpc/', '')
      .split(',');
    if (!names.some((name) => refused.has(name))) return route.fallback();
    const response = await route.fetch().catch(() => null);
    const responses: unknown[] | null = await response?.json().catch(() => null);
    // The window has been closed in the meantime.
    if (!response || !responses) return;
    const json = responses.map((answer, index) => (refused.has(names[index] ?? '') ? { error } : answer));
    await route.fulfill({ response, json });
  });
}
