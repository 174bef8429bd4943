import type { Locator, Page } from 'playwright';
import { DAY_MS } from '#server/durations.ts';
import type { UsageOverview } from '#server/services/usage/schema.ts';
import type { Journey, SignedInVisitor } from '#tests/support/browser/journey.ts';
import { addEndpoint, type CdnVisitor, visitWithSite } from '#tests/support/browser/visit-cdn.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { insertPastUsage } from '#tests/support/usage/server-usage.ts';

/** Returns the UTC day this many days ago, as `2026-11-21`. */
export function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** A tile's figure by its name. */
export function figure(page: Page, name: string): Locator {
  return page.locator('dl > div').filter({ hasText: name }).locator('dd').first();
}

/** The rows of the table by endpoint and site. */
export function usageRows(page: Page): Locator {
  return page.getByRole('table', { name: /^(Usage by|Utilisation par)/ }).locator('tbody tr');
}

/** The cells of the row with this name, the name first. */
export async function cellsOf(page: Page, name: string): Promise<string[]> {
  const texts = await usageRows(page).filter({ hasText: name }).locator('th, td').allInnerTexts();
  return texts.map((text) => text.trim());
}

async function overviewOf({ api, organizationId }: SignedInVisitor): Promise<UsageOverview> {
  const headers = { 'portage-organization': organizationId };
  return JSON.parse(requireStatus(await api('GET', '/api/v1/usage/overview', { headers }), 200).text);
}

/** A person with a site, an endpoint in front of it and a redirect, and seven requests to the three. */
export interface VisitorWithTraffic extends CdnVisitor {
  /** Hostnames. */
  own: { id: string; hostname: string };
  moved: { id: string; hostname: string };
  /** The server's counts. */
  overview: UsageOverview;
}

/** Signs a person in and sends requests to the edge for their sites, until all of them are counted. */
export async function visitWithTraffic(journey: Journey): Promise<VisitorWithTraffic> {
  const visitor = await visitWithSite(journey);
  const { api, mark, siteId } = visitor;
  const versions = `/api/v1/sites/${siteId}/versions`;
  const body = packZip({ 'index.html': `<p>${'harbour '.repeat(300)}</p>`, 'app.js': 'x'.repeat(9000) });
  requireStatus(await api('POST', versions, { body, headers: { 'content-type': 'application/zip' } }), 201);
  const site = JSON.parse((await api('GET', `/api/v1/sites/${siteId}`)).text) as { subdomain_url: string };
  const add = async (hostname: string, origin: Record<string, unknown>) => ({
    hostname,
    id: String((await addEndpoint(visitor, { hostname, ...origin })).id),
  });
  const own = await add(`www-${mark}.localhost`, { site_id: siteId });
  const target = { origin_type: 'redirect', redirect_target: `https://${own.hostname}` };
  const moved = await add(`old-${mark}.localhost`, target);
  const { edge } = journey.server;
  const platform = new URL(site.subdomain_url).hostname;
  for (const path of ['/app.js', '/app.js', '/', '/missing']) await edge(own.hostname, path);
  for (const path of ['/', '/']) await edge(platform, path);
  await edge(moved.hostname, '/');
  const overview = await pollUntil(
    () => overviewOf(visitor),
    ({ summary }) => summary.total_requests === 7,
  );
  return { ...visitor, own, moved, overview };
}

/** A person whose endpoint served requests every day for a while. */
export interface VisitorWithPast extends SignedInVisitor {
  /** The requests since a day, inclusive, as the console writes them in English. */
  sumSince: (first: string) => string;
}

/** Signs in a person whose endpoint served `1000 + n` requests n days ago, up to 65. */
export async function visitWithPast(journey: Journey): Promise<VisitorWithPast> {
  const visitor = await journey.visitSignedIn();
  const served = Array.from({ length: 66 }, (_, ago) => ({ day: dayBefore(ago), requests: 1000 + ago }));
  const days = served.map(({ day, requests }) => [day, { requests, bytes: requests * 1024 }]);
  const past = { hostname: 'past.example', days: Object.fromEntries(days) };
  await insertPastUsage(journey.server, visitor.organizationId, [past]);
  const sumSince = (first: string) =>
    served
      .filter(({ day }) => day >= first)
      .reduce((sum, { requests }) => sum + requests, 0)
      .toLocaleString('en-CA');
  return { ...visitor, sumSince };
}
