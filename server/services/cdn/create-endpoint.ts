import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import { isUniqueViolation } from '#db/unique-violation.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId, newLabel } from '#server/ids.ts';
import { requireBilling } from '../billing/require-billing.ts';
import { insertBundle } from '../certificates/insert-bundle.ts';
import { isLocalName } from '../certificates/rules.ts';
import { requireWithinLimits } from '../limits/require-within-limits.ts';
import { requireLiveOrganization } from '../organizations/require-live-organization.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { beginLifetime } from '../usage/keep-lifetime.ts';
import { claimHostname } from './claim-hostname.ts';
import { findHostnameProof, type HostnameProof } from './find-hostname-proof.ts';
import { describeEndpoint } from './queries.ts';
import { requireEndpoint } from './require-endpoint.ts';
import { requireHostname } from './require-hostname.ts';
import { requireOrigin, type WantedOrigin } from './require-origin.ts';
import { UNPROVEN_ENDPOINTS_MAX } from './rules.ts';
import { createEndpointInput, type Endpoint } from './schema.ts';

/** Refusals because of another organization's claim. */
const HELD: ReadonlySet<string> = new Set(['hostname_taken', 'hostname_resting']);

/**
 * Creates a custom hostname for a site or a redirect, with its own certificate bundle, and returns it. A
 * hostname is unique across organizations, even when two ask at the same time; nothing is served at it before
 * its DNS proves who owns it. A credential needs the right to write the site. A hostname that is claimed
 * again while it is reserved keeps its records. One that another organization holds goes immediately to the
 * organization that has set the record named in the refusal.
 * @throws permission_required, billing_required, hostname_invalid, hostname_reserved, hostname_taken,
 * hostname_unproven, hostname_resting, endpoint_limit, limit_endpoints, dns_unavailable, and the refusals of
 * an origin
 */
export async function createEndpoint(
  context: OrganizationContext,
  input: z.input<typeof createEndpointInput>,
): Promise<Endpoint> {
  requireAction(context, 'endpoint.create');
  const { hostname: typed, origin_type, site_id, redirect_target } = createEndpointInput.parse(input);
  const { app } = context;
  const hostname = requireHostname(app.config, typed);
  const wanted = { origin_type, site_id: site_id ?? null, redirect_target: redirect_target ?? null };
  try {
    return await insertEndpoint(context, hostname, wanted, null);
  } catch (error) {
    const isHeld = error instanceof AppError && HELD.has(error.code);
    if (!isHeld) throw error;
    // Proof wins. It is only looked up when another claim is in the way, and outside transactions.
    const proof = await findHostnameProof(context, hostname, error);
    return insertEndpoint(context, hostname, wanted, proof);
  }
}

async function insertEndpoint(
  context: OrganizationContext,
  hostname: string,
  wanted: WantedOrigin,
  proof: HostnameProof | null,
): Promise<Endpoint> {
  const { app, organization } = context;
  try {
    return await inUnitOfWork(context, async (unit) => {
      const { trx, now, audit, tellEdges } = unit;
      await requireLiveOrganization(trx, organization.id);
      await requireBilling(trx, app, organization.id);
      if (!isLocalName(hostname)) await requireRoomForClaim(trx, organization.id);
      const origin = await requireOrigin(trx, context, hostname, wanted);
      const earlier = await claimHostname(unit, context, hostname, proof);
      const row = {
        id: newId(now),
        organization_id: organization.id,
        hostname,
        cname_target: earlier?.cname_target ?? `${newLabel()}.${app.config.cnameDomain}`,
        ...origin,
        proven_at: isLocalName(hostname) ? now : null,
        created_at: now,
        updated_at: now,
      };
      await trx.insertInto('cdn_endpoints').values(row).execute();
      await requireWithinLimits(trx, app, organization.id, ['endpoints']);
      await beginLifetime(trx, {
        resource_id: row.id,
        resource_type: 'endpoint',
        organization_id: organization.id,
        name: hostname,
        started_at: now,
      });
      await insertBundle(trx, app, row, earlier?.dns_challenge_id ?? proof?.challengeId ?? null);
      await audit({
        action: 'endpoint.create',
        resource_type: 'endpoint',
        resource_id: row.id,
        organization_id: organization.id,
        after: { hostname, ...origin },
      });
      const endpoint = await describeEndpoint(trx, app, await requireEndpoint(trx, context, row.id, 'read'));
      // An edge may have cached that the hostname does not exist.
      tellEdges({ site_id: null, hostname });
      return endpoint;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('hostname_taken', { hostname });
    throw error;
  }
}

/**
 * Requires that the organization does not hold more unproven names than it can have meant to prove.
 * @throws endpoint_limit
 */
async function requireRoomForClaim(trx: Trx, organizationId: string): Promise<void> {
  const { unproven } = await trx
    .selectFrom('cdn_endpoints')
    .select(({ fn }) => fn.countAll<number>().as('unproven'))
    .where('organization_id', '=', organizationId)
    .where('proven_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (unproven >= UNPROVEN_ENDPOINTS_MAX) {
    throw new AppError('endpoint_limit', { limit: UNPROVEN_ENDPOINTS_MAX });
  }
}
