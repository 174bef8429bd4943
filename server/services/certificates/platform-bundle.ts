import type { App } from '#server/context.ts';
import { newId, newLabel } from '#server/ids.ts';
import { isLocalName } from './rules.ts';

/** The name whose certificate gives every site https: `*.{SITES_DOMAIN}`. */
export function platformName({ config }: App): string {
  return `*.${config.sitesDomain.replace(/:\d+$/, '')}`;
}

/**
 * Creates the bundle of the platform's own name unless it exists. The authority of this installation issues
 * it immediately; for another one, the operator sets `_acme-challenge.{SITES_DOMAIN}` first. Names of this
 * machine have none there.
 */
export async function ensurePlatformBundle(app: App): Promise<void> {
  const { authority, clock, db } = app;
  const domain_name = platformName(app);
  if (authority.needsProof && isLocalName(domain_name)) return;
  const now = clock.now();
  const validatedAt = authority.needsProof ? null : now;
  await db
    .insertInto('certificate_bundles')
    .values({
      id: newId(now),
      organization_id: null,
      endpoint_id: null,
      domain_name,
      dns_challenge_id: newLabel(),
      dns_validated_at: validatedAt,
      dns_challenge_validated_at: validatedAt,
      next_check_at: now,
      next_issue_at: validatedAt,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('domain_name').doNothing())
    .execute();
}
