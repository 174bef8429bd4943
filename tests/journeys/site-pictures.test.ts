import { expect, inject, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  startOwnJourney,
} from '#tests/support/browser/journey.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { packZip } from '#tests/support/pack-zip.ts';

const journey = startOwnJourney({ SITE_PICTURES: 'auto', BROWSER_PATH: inject('chromiumPath') });

it('a site is recognised by its front page after a publish, by its icon or its initials else', async () => {
  const { page, api, organizationId, person } = await journey().visitSignedIn();
  const { server } = journey();
  const site = async (name: string, files: Record<string, string | Buffer>) => {
    const { id } = objectOf(requireStatus(await api('POST', '/api/v1/sites', { json: { name } }), 201));
    const headers = { 'content-type': 'application/zip' };
    const body = packZip(files);
    requireStatus(await api('POST', `/api/v1/sites/${id}/versions`, { body, headers }), 201);
    return String(id);
  };
  const front = await site('Front', { 'index.html': '<body style="background: teal"><h1>Boats</h1>' });
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const icon = await site('Icon', { 'data.json': '{}', 'favicon.png': png });
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  await site('Neither of both', { 'data.json': '{}', 'favicon.ico': svg, 'favicon.svg': svg });
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  const shown = async (name: string) => {
    await page.reload();
    return row(name)
      .locator('img')
      .getAttribute('src', { timeout: 1_000 })
      .catch(() => null);
  };
  await arrive(page, `/${organizationId}/sites`);
  await expect.poll(() => shown('Front')).toContain(`/api/v1/sites/${front}/picture`);
  await expect.poll(() => shown('Icon')).toContain(`/api/v1/sites/${icon}/picture`);
  const widths = (name: string) =>
    row(name)
      .locator('img')
      .evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth));
  expect([await widths('Front'), await widths('Icon')]).toEqual([480, 1]);
  expect(await row('Neither').locator('img').count()).toBe(0);
  await row('Neither').getByText('NO', { exact: true }).waitFor();
  await expectAccessible(page);
  await expectFitsPhone(page);

  const before = await row('Front').locator('img').getAttribute('src');
  const response = await fetch(new URL(before ?? '', server.consoleUrl), {
    headers: { cookie: person.cookie },
  });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/webp',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=86400',
  });
  const anonymous = await fetch(new URL(before ?? '', server.consoleUrl));
  expect(anonymous.status).toBe(401);
});
