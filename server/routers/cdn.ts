import { z } from 'zod';
import { createEndpoint } from '../services/cdn/create-endpoint.ts';
import { deleteEndpoint } from '../services/cdn/delete-endpoint.ts';
import { getEndpoint } from '../services/cdn/get-endpoint.ts';
import { listEndpoints } from '../services/cdn/list-endpoints.ts';
import { pageEndpoints } from '../services/cdn/page-endpoints.ts';
import {
  createEndpointInput,
  endpointInput,
  endpointSchema,
  listEndpointsInput,
  pageEndpointsInput,
  updateEndpointInput,
} from '../services/cdn/schema.ts';
import { updateEndpoint } from '../services/cdn/update-endpoint.ts';
import { pageOf } from '../services/shared/schema.ts';
import { organizationProcedure, router } from './trpc.ts';

export const cdnRouter = router({
  list: organizationProcedure
    .input(listEndpointsInput)
    .output(z.array(endpointSchema))
    .query(({ ctx, input }) => listEndpoints(ctx, input)),
  page: organizationProcedure
    .input(pageEndpointsInput)
    .output(pageOf(endpointSchema))
    .query(({ ctx, input }) => pageEndpoints(ctx, input)),
  get: organizationProcedure
    .input(endpointInput)
    .output(endpointSchema)
    .query(({ ctx, input }) => getEndpoint(ctx, input)),
  create: organizationProcedure
    .input(createEndpointInput)
    .output(endpointSchema)
    .mutation(({ ctx, input }) => createEndpoint(ctx, input)),
  update: organizationProcedure
    .input(updateEndpointInput)
    .output(endpointSchema)
    .mutation(({ ctx, input }) => updateEndpoint(ctx, input)),
  delete: organizationProcedure.input(endpointInput).mutation(({ ctx, input }) => deleteEndpoint(ctx, input)),
});
