import { z } from 'zod';
import { listEndpoints } from '../../services/cdn/list-endpoints.ts';
import { endpointSchema, listEndpointsInput } from '../../services/cdn/schema.ts';
import { organizationRoute, type Route } from '../route.ts';

export const cdnRoutes: Route[] = [
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/cdn/endpoints',
      id: 'listEndpoints',
      tag: 'CDN',
      summary: 'List CDN endpoints by host name',
      query: listEndpointsInput,
      success: { kind: 'json', status: 200, schema: z.array(endpointSchema) },
    },
    ({ context, query }) => listEndpoints(context, query),
  ),
];
