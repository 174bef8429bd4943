import { request } from 'node:http';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { formatBytes } from '#app/i18n/formats/format-bytes.ts';
import type { UsageStats } from '#server/services/usage/schema.ts';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  hasFocus,
  hideServerReturn,
  startOwnJourney,
  tabTo,
} from '#tests/support/browser/journey.ts';
import { cardOf, type EndpointVisitor, visitEndpoint } from '#tests/support/browser/visit-endpoint.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import type { RestClient } from '#tests/support/client/rest-client.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { withoutUsageFigures } from '#tests/support/server/server-database.ts';

/** No certificate is issued: plain http is served directly. */
const journey = startOwnJourney({ ROLES: 'console,edge' });
/** What the browser's console reports about a part of the page that the server could not render. */
const FAILURE = /^(TRPCClientError|Error: (redacted|Minified React error #419))/;

/** A figure of the panel by its name. */
const figure = (page: Page, panel: string, name: string) =>
  cardOf(page, panel).locator('dl > div').filter({ hasText: name }).locator('dd').first().innerText();

/**
 * Sends a request to the edge on a new connection and returns the number of bytes received, head and body.
 */
function visitEdge(
  hostname: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ bytes: number; etag: string }> {
  const port = journey().server.edgePort;
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, path, agent: false },
      headers: { host: `${hostname}:${port}`, ...headers },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      const { socket } = response;
      response.resume();
      response.once('end', () => resolve({ bytes: socket.bytesRead, etag: String(response.headers.etag) }));
    });
    sent.end();
  });
}

/** Deploys a page and visits it: three times in full, once unchanged, and twice at missing addresses. */
async function haveTraffic({ api, endpoint }: EndpointVisitor): Promise<UsageStats['summary']> {
  const body = packZip({ 'index.html': `<p>${'harbour '.repeat(300)}</p>` });
  const versions = `/api/v1/sites/${endpoint.site_id}/versions`;
  requireStatus(await api('POST', versions, { body, headers: { 'content-type': 'application/zip' } }), 201);
  const { hostname } = endpoint;
  const first = await visitEdge(hostname, '/');
  const unchanged = await visitEdge(hostname, '/', { 'if-none-match': first.etag });
  let bytes = first.bytes + unchanged.bytes;
  for (const path of ['/', '/', '/missing', '/missing']) bytes += (await visitEdge(hostname, path)).bytes;
  const summary = await pollUntil(
    () => summaryOf(api, endpoint.id),
    ({ total_requests }) => total_requests === 6,
  );
  expect(summary).toMatchObject({
    total_bytes_sent: bytes,
    total_status_2xx: 3,
    total_status_3xx: 1,
    total_status_4xx: 2,
    total_status_5xx: 0,
  });
  return summary;
}

async function summaryOf(api: RestClient, endpointId: string): Promise<UsageStats['summary']> {
  const response = requireStatus(await api('GET', `/api/v1/usage/stats?cdn_endpoint_id=${endpointId}`), 200);
  return (JSON.parse(response.text) as UsageStats).summary;
}

describe('the usage metrics of an endpoint', () => {
  it('show to the byte what the edge sent, in figures, charts and tables, in both languages', async () => {
    const at = await visitEndpoint(journey(), 'usage-{n}.localhost');
    const { page, path, person } = at;
    const { total_bytes_sent, total_cache_hits } = await haveTraffic(at);
    await arrive(page, path);
    const panel = cardOf(page, 'Usage metrics');
    expect(await figure(page, 'Usage metrics', 'Total requests')).toBe('6');
    expect(await figure(page, 'Usage metrics', 'Bandwidth')).toBe(formatBytes(total_bytes_sent, 'en-CA'));
    expect(await figure(page, 'Usage metrics', 'Cache hit rate')).toBe(
      `${Math.round((total_cache_hits / 6) * 100)}%`,
    );
    expect(await figure(page, 'Usage metrics', 'Failed requests')).toBe('2');
    await panel.getByText('33.3% of all: 2 × 4xx, 0 × 5xx').waitFor();
    await panel.locator('.recharts-surface').waitFor();

    const toggle = panel.getByRole('button', { name: 'Show as table' });
    await tabTo(page, toggle);
    await page.keyboard.press('Enter');
    const table = panel.getByRole('table', { name: /^Requests by status class/ });
    const sums = table.getByRole('row').last().getByRole('cell');
    expect(await sums.allInnerTexts()).toEqual(['3', '1', '2', '0', '6']);
    await page.keyboard.press('Tab');
    expect(await hasFocus(panel.getByRole('region', { name: /^Requests by status class/ }))).toBe(true);
    await expectAccessible(page);
    await expectFitsPhone(page);

    await panel.getByRole('link', { name: 'Bandwidth' }).click();
    await page.waitForURL(/\?chart=bandwidth$/);
    const bytes = panel
      .getByRole('table', { name: /^Bandwidth/ })
      .getByRole('row')
      .last();
    expect(await bytes.getByRole('cell').innerText()).toBe(formatBytes(total_bytes_sent, 'en-CA'));

    const { page: french } = await journey().visitSignedIn({ person, locale: 'fr-CA', scheme: 'dark' });
    await arrive(french, `${path}?chart=cache`);
    const title = 'Statistiques d’utilisation';
    expect(await figure(french, title, 'Total des requêtes')).toBe('6');
    expect(await figure(french, title, 'Bande passante')).toBe(formatBytes(total_bytes_sent, 'fr-CA'));
    const legend = cardOf(french, title).getByRole('listitem').filter({ hasText: 'Succès du cache' });
    expect(await legend.innerText()).toContain(String(total_cache_hits));
    await expectFitsPhone(french);
  });

  it('say when there are none, and what failed while the page is usable, with Retry', async () => {
    const at = await visitEndpoint(journey(), 'usage-{n}.localhost', { provoked: FAILURE });
    const { page, path } = at;
    await hideServerReturn(page);
    await withoutUsageFigures(journey().server, async () => {
      await arrive(page, path);
      const panel = cardOf(page, 'Usage metrics');
      const message = 'Something went wrong on our side. Try again in a moment.';
      await panel.getByRole('alert').getByText(message).waitFor();
      await page.getByRole('heading', { level: 1, name: at.endpoint.hostname }).waitFor();
      await cardOf(page, 'Origin').waitFor();
    });
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('No usage data available for this endpoint').waitFor();
    await expectFitsPhone(page);
  });
});
