import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { describeEndpoint } from './queries.ts';
import { requireEndpoint } from './require-endpoint.ts';
import { type Endpoint, endpointInput } from './schema.ts';

/**
 * Returns an endpoint of the organization with its certificate bundle.
 * @throws endpoint_not_found, out_of_scope
 */
export async function getEndpoint(
  context: OrganizationContext,
  input: z.input<typeof endpointInput>,
): Promise<Endpoint> {
  requireAction(context, 'endpoint.read');
  const { endpoint_id } = endpointInput.parse(input);
  const { app } = context;
  return describeEndpoint(app.db, app, await requireEndpoint(app.db, context, endpoint_id, 'read'));
}
