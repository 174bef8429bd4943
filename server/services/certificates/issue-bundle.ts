import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { getBundle } from './get-bundle.ts';
import { requireBundle } from './require-bundle.ts';
import { type Bundle, bundleInput } from './schema.ts';

/** Issues the certificate of a bundle now and returns the bundle. */
export async function issueBundle(
  context: OrganizationContext,
  input: z.input<typeof bundleInput>,
): Promise<Bundle> {
  requireAction(context, 'certificate.manage');
  const { bundle_id } = bundleInput.parse(input);
  await requireBundle(context.app.db, context, bundle_id, 'write');
  return getBundle(context, { bundle_id });
}
