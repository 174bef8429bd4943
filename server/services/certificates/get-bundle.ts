import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { requireBundle } from './require-bundle.ts';
import { type Bundle, bundleInput } from './schema.ts';
import { toBundle } from './to-bundle.ts';

/** Returns a certificate bundle of the organization. @throws bundle_not_found, out_of_scope */
export async function getBundle(
  context: OrganizationContext,
  input: z.input<typeof bundleInput>,
): Promise<Bundle> {
  requireAction(context, 'endpoint.read');
  const { bundle_id } = bundleInput.parse(input);
  return toBundle(context.app, await requireBundle(context.app.db, context, bundle_id, 'read'));
}
