import { expect } from 'vitest';
import { objectOf } from '../client/rest-client.ts';
import type { Journey, SignedInVisitor } from './journey.ts';

/** A person who has a site. */
export interface CdnVisitor extends SignedInVisitor {
  /** Makes their hostnames unique on the server. */
  mark: string;
  site: string;
  siteId: string;
  /** The path of their CDN page. */
  cdn: string;
}

/** Signs in a person who has a site. */
export async function visitWithSite(
  journey: Journey,
  options: Parameters<Journey['visitSignedIn']>[0] = {},
): Promise<CdnVisitor> {
  const visitor = await journey.visitSignedIn(options);
  const mark = visitor.organizationId.slice(-8);
  const site = `Harbour ${mark}`;
  const created = await visitor.api('POST', '/api/v1/sites', { json: { name: site } });
  expect(created.status).toBe(201);
  return {
    ...visitor,
    mark,
    site,
    siteId: String(objectOf(created).id),
    cdn: `/${visitor.organizationId}/cdn`,
  };
}

/** Adds an endpoint over HTTP and returns it. */
export async function addEndpoint(visitor: SignedInVisitor, json: Record<string, unknown>) {
  const response = await visitor.api('POST', '/api/v1/cdn/endpoints', { json });
  expect(response.status, response.text).toBe(201);
  return objectOf(response);
}
