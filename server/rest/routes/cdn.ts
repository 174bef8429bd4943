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
const hostnameErrors = [
  'billing_required',
  'hostname_invalid',
  'hostname_reserved',
  'hostname_taken',
  'hostname_resting',
] as const;
const originErrors = [
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
      summary: 'List CDN endpoints by host name',
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
      summary: 'Put a custom hostname in front of a site or a redirect',
      body: { json: createEndpointInput },
      success: { kind: 'json', status: 201, schema: endpointSchema },
      errors: [...hostnameErrors, ...originErrors, 'site_not_found'],
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
      summary: 'Put a custom hostname in front of this site',
      params: createSiteEndpointInput.pick({ site_id: true }),
      body: { json: createSiteEndpointInput.pick({ hostname: true }) },
      success: { kind: 'json', status: 201, schema: endpointSchema },
      errors: [...hostnameErrors, 'site_not_found'],
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
      summary: 'Change what an endpoint leads to, or its HSTS choice',
      description: 'What is left out stays as it is.',
      params: endpointInput,
      body: { json: updateEndpointInput.omit({ endpoint_id: true }) },
      success: { kind: 'json', status: 200, schema: endpointSchema },
      errors: ['endpoint_not_found', 'site_not_found', ...originErrors],
    },
    ({ context, params, body }) => updateEndpoint(context, { ...params, ...body }),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/cdn/endpoints/{endpoint_id}',
      id: 'deleteEndpoint',
      tag,
      summary: 'Remove a CDN endpoint and its certificate',
      params: endpointInput,
      success: { kind: 'empty' },
      errors: ['endpoint_not_found'],
    },
    ({ context, params }) => deleteEndpoint(context, params),
  ),
];
