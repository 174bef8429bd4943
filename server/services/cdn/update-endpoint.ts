import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { getEndpoint } from './get-endpoint.ts';
import { requireEndpoint } from './require-endpoint.ts';
import { type Endpoint, updateEndpointInput } from './schema.ts';

/** Changes what an endpoint leads to, or its HSTS choice, and returns it. */
export async function updateEndpoint(
  context: OrganizationContext,
  input: z.input<typeof updateEndpointInput>,
): Promise<Endpoint> {
  requireAction(context, 'endpoint.update');
  const { endpoint_id, hsts } = updateEndpointInput.parse(input);
  const { app } = context;
  const row = await requireEndpoint(app.db, context, endpoint_id, 'write');
  await app.db
    .updateTable('cdn_endpoints')
    .set({ hsts: hsts ?? row.hsts, updated_at: app.clock.now() })
    .where('id', '=', row.id)
    .execute();
  return getEndpoint(context, { endpoint_id });
}
