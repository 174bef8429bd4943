import type { Locator, Page } from 'playwright';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import type { Bundle } from '#server/services/certificates/schema.ts';
import { requireStatus } from '../client/deploy-client.ts';
import { objectOf } from '../client/rest-client.ts';
import type { ZoneServer } from '../dns/zone-server.ts';
import type { Journey, SignedInVisitor, VisitorOptions } from './journey.ts';

/** A person whose workspace has one endpoint in front of a site. */
export interface EndpointVisitor extends SignedInVisitor {
  endpoint: Endpoint;
  bundle: Bundle;
  /** Of the endpoint's page. */
  path: string;
}

/** The environment in which a server uses a test's records as the public DNS. */
export function dnsEnvironment(zone: ZoneServer): Record<string, string> {
  return {
    DNS_RESOLVERS: zone.address,
    CNAME_DOMAIN: 'edge.portage.test',
    ACME_ZONE: 'acme.portage.test',
    EDGE_ADDRESSES: '192.0.2.10,2001:db8::10',
  };
}

let nextNumber = 1;

/** Signs a person in and creates the endpoint; `{n}` in the hostname is a different number each time. */
export async function visitEndpoint(
  journey: Journey,
  hostname: string,
  options: VisitorOptions = {},
): Promise<EndpointVisitor> {
  const visitor = await journey.visitSignedIn(options);
  const number = nextNumber++;
  const { api, organizationId } = visitor;
  const create = async (path: string, json: unknown) => requireStatus(await api('POST', path, { json }), 201);
  const site = objectOf(await create('/api/v1/sites', { name: `Quay ${number}` }));
  const endpoint: Endpoint = JSON.parse(
    (
      await create('/api/v1/cdn/endpoints', {
        hostname: hostname.replace('{n}', String(number)),
        site_id: site.id,
      })
    ).text,
  );
  if (endpoint.bundle === null) throw new Error('an endpoint is made with its bundle');
  const path = `/${organizationId}/endpoints/${endpoint.id}`;
  return { ...visitor, endpoint, bundle: endpoint.bundle, path };
}

/** Sets the records of a domain with a website elsewhere. */
export function setElsewhere(zone: ZoneServer, hostname: string): void {
  zone.set('example.test', { soa: 'ns.example.test' });
  zone.set('old-host.test', { ipv4: ['198.51.100.7'] });
  zone.set(hostname, { cname: 'old-host.test' });
}

/** A card of the page by its heading. */
export function cardOf(page: Page, heading: string): Locator {
  return page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: heading }) });
}

/** Moves the pointer away from everything, and with it the hints that it showed. */
export async function pointNowhere(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await page.getByRole('tooltip').waitFor({ state: 'hidden' });
}

/** Returns to the page from elsewhere: it immediately refetches what may have changed. */
export async function lookAgain(page: Page): Promise<void> {
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
}
