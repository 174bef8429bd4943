import { z } from 'zod';
import { listEndpoints } from '../services/cdn/list-endpoints.ts';
import { endpointSchema, listEndpointsInput } from '../services/cdn/schema.ts';
import { organizationProcedure, router } from './trpc.ts';

export const cdnRouter = router({
  list: organizationProcedure
    .input(listEndpointsInput)
    .output(z.array(endpointSchema))
    .query(({ ctx, input }) => listEndpoints(ctx, input)),
});
