import type { Page } from 'playwright';

/**
 * Refuses these procedures to this page until they are taken out of the set, as the server would: what travels with them in
 * a batch is answered. A refusal is not asked again by itself, unlike a failure.
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
    const answers: unknown[] | null = await response?.json().catch(() => null);
    // The window was closed meanwhile.
    if (!response || !answers) return;
    const json = answers.map((answer, index) => (refused.has(names[index] ?? '') ? { error } : answer));
    await route.fulfill({ response, json });
  });
}
