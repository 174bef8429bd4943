import { newId } from '#server/ids.ts';
import type { TenantIds } from './fill-organization.ts';
import {
  administers,
  type Example,
  lists,
  type ProcedureInput,
  type RouteRequest,
  reads,
  writes,
} from './surface-example.ts';

/** A hostname that is not in use, and that needs no record. */
const newHostname = () => `${newId()}.localhost`;
const siteOf = ({ site }: TenantIds) => ({ site_id: site });
const endpointOf = ({ endpoint }: TenantIds) => ({ endpoint_id: endpoint });
const bundleOf = ({ bundle }: TenantIds) => ({ bundle_id: bundle });
const bareOf = ({ endpointWithoutBundle }: TenantIds) => ({ endpoint_id: endpointWithoutBundle });
const newEndpoint = (ids: TenantIds) => ({ hostname: newHostname(), origin_type: 'site', ...siteOf(ids) });

/** The procedures of endpoints and their certificates, in an order in which each succeeds. */
export const CDN_PROCEDURES: Record<string, Example<ProcedureInput>> = {
  'cdn.list': { ...lists, request: () => ({}) },
  'cdn.page': { ...lists, request: () => ({}) },
  'cdn.get': { ...reads, request: endpointOf },
  'cdn.create': { ...writes, request: newEndpoint },
  'cdn.update': { ...writes, request: (ids) => ({ ...endpointOf(ids), hsts: 'year' }) },
  'certificates.get': { ...reads, request: bundleOf },
  'certificates.create': { ...writes, request: bareOf },
  'certificates.dnsReport': { ...reads, request: bundleOf },
  'certificates.validate': { ...writes, request: bundleOf },
  'certificates.issue': { ...writes, request: bundleOf },
  'cdn.delete': { ...administers, request: endpointOf },
};

/** The same routes. */
export const CDN_ROUTES: Record<string, Example<RouteRequest>> = {
  listEndpoints: { ...lists, request: () => ({}) },
  getEndpoint: { ...reads, request: (ids) => ({ params: endpointOf(ids) }) },
  createEndpoint: { ...writes, request: (ids) => ({ json: newEndpoint(ids) }) },
  createSiteEndpoint: {
    ...writes,
    request: (ids) => ({ params: siteOf(ids), json: { hostname: newHostname() } }),
  },
  updateEndpoint: { ...writes, request: (ids) => ({ params: endpointOf(ids), json: { hsts: 'year' } }) },
  getBundle: { ...reads, request: (ids) => ({ params: bundleOf(ids) }) },
  createBundle: { ...writes, request: (ids) => ({ params: bareOf(ids) }) },
  getDnsReport: { ...reads, request: (ids) => ({ params: bundleOf(ids) }) },
  validateBundle: { ...writes, request: (ids) => ({ params: bundleOf(ids) }) },
  issueBundle: { ...writes, request: (ids) => ({ params: bundleOf(ids) }) },
  deleteEndpoint: { ...administers, request: (ids) => ({ params: endpointOf(ids) }) },
};
