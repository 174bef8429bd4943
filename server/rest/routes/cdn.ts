import { z } from 'zod';
import { createEndpoint } from '../../services/cdn/create-endpoint.ts';
import { deleteEndpoint } from '../../services/cdn/delete-endpoint.ts';
import { getEndpoint } from '../../services/cdn/get-endpoint.ts';
import { listEndpoints } from '../../services/cdn/list-endpoints.ts';
import {
  createEndpointInput,
  createSiteEndpointInput,
  endpointInput,
  endpointSchema,
  listEndpointsInput,
  updateEndpointInput,
} from '../../services/cdn/schema.ts';
import { updateEndpoint } from '../../services/cdn/update-endpoint.ts';
import { organizationRoute, type Route } from '../route.ts';

const tag = 'CDN';
/** Where to find the records to set. */
const records =
  'Set the returned records at your DNS provider: the hostname as a CNAME to `cname_target`, and `challenge_name` of ' +
  'the bundle as a CNAME to its `challenge_target`. The second one alone is enough for a certificate before traffic moves. ' +
  'Everything else is automatic. Nothing is served before one of them is found, and a hostname that is not proven ' +
  'within seven days can be claimed by another organization.';
const creationErrors = [
  'billing_required',
  'hostname_invalid',
  'hostname_reserved',
  'hostname_taken',
  'hostname_unproven',
  'hostname_resting',
  'endpoint_limit',
  'limit_endpoints',
  'dns_unavailable',
] as const;
const originErrors = [
  'site_not_found',
  'person_required',
  'origin_unavailable',
  'endpoint_site_required',
  'redirect_target_required',
  'redirect_target_invalid',
  'redirect_target_refused',
  'redirect_loop',
] as const;

export const cdnRoutes: Route[] = [
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/cdn/endpoints',
      id: 'listEndpoints',
      tag,
      summary: 'List CDN endpoints by hostname',
      description:
        'All of them, or those of one site. A credential sees the endpoints of the sites in its scopes.',
      query: listEndpointsInput,
      success: { kind: 'json', status: 200, schema: z.array(endpointSchema) },
    },
    ({ context, query }) => listEndpoints(context, query),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/cdn/endpoints',
      id: 'createEndpoint',
      tag,
      summary: 'Add a custom hostname for a site or a redirect',
      description:
        '`site_id` goes with `origin_type` `site`, `redirect_target` with `redirect`: an absolute address, to which path and ' +
        `query are added. A credential needs write access to the site. ${records}`,
      body: { json: createEndpointInput },
      success: { kind: 'json', status: 201, schema: endpointSchema },
      errors: [...creationErrors, ...originErrors],
      takesCredentials: true,
      location: (endpoint) => `/api/v1/cdn/endpoints/${endpoint.id}`,
    },
    ({ context, body }) => createEndpoint(context, body),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/sites/{site_id}/endpoints',
      id: 'createSiteEndpoint',
      tag,
      summary: 'Add a custom hostname for this site',
      description: records,
      params: createSiteEndpointInput.pick({ site_id: true }),
      body: { json: createSiteEndpointInput.pick({ hostname: true }) },
      success: { kind: 'json', status: 201, schema: endpointSchema },
      errors: [...creationErrors, 'site_not_found'],
      location: (endpoint) => `/api/v1/cdn/endpoints/${endpoint.id}`,
    },
    ({ context, params, body }) => createEndpoint(context, { ...params, ...body, origin_type: 'site' }),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/cdn/endpoints/{endpoint_id}',
      id: 'getEndpoint',
      tag,
      summary: 'Get a CDN endpoint with its certificate bundle',
      description:
        '`url` is the https address as soon as the certificate is there. `proven_at` is null before a record is found.',
      params: endpointInput,
      success: { kind: 'json', status: 200, schema: endpointSchema },
      errors: ['endpoint_not_found'],
    },
    ({ context, params }) => getEndpoint(context, params),
  ),
  organizationRoute(
    {
      method: 'PATCH',
      path: '/api/v1/cdn/endpoints/{endpoint_id}',
      id: 'updateEndpoint',
      tag,
      summary: 'Change the origin of an endpoint, or its HSTS choice',
      description:
        'Omitted fields do not change; hostname, records and certificate never do. `hsts` says how long browsers remember ' +
        'to use https only: it cannot be revoked before that time is over.',
      params: endpointInput,
      body: { json: updateEndpointInput.omit({ endpoint_id: true }) },
      success: { kind: 'json', status: 200, schema: endpointSchema },
      errors: ['endpoint_not_found', ...originErrors],
      takesCredentials: true,
    },
    ({ context, params, body }) => updateEndpoint(context, { ...params, ...body }),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/cdn/endpoints/{endpoint_id}',
      id: 'deleteEndpoint',
      tag,
      summary: 'Delete a CDN endpoint and its certificate',
      description:
        'A proven hostname is kept for the organization for three days: if it is added again within that time, it gets the same records.',
      params: endpointInput,
      success: { kind: 'empty' },
      errors: ['endpoint_not_found'],
      refuses: 'credentials',
    },
    ({ context, params }) => deleteEndpoint(context, params),
  ),
];
