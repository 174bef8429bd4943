import type { NotNull } from 'kysely';
import type { Trx } from '#db/client.ts';
import type { OrganizationContext, RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { toInstant } from '../shared/schema.ts';
import { endLifetime } from '../usage/keep-lifetime.ts';
import { LOST_CLAIM_MS, UNPROVEN_CLAIM_MS } from './rules.ts';

/** What the DNS of a hostname points at since an earlier endpoint of the same organization. */
export interface EarlierRecords {
  cname_target: string;
  dns_challenge_id: string | null;
}

/**
 * Makes a hostname free for the organization, in the transaction that puts an endpoint there, and returns the records that
 * an earlier endpoint of the organization had there, or null. An endpoint of another organization gives way when it has not
 * proven the hostname in time, or when the hostname has long led elsewhere. Of two at once, the unique hostname lets one in.
 * @throws hostname_taken; hostname_resting with the instant `until` which it is kept for another organization
 */
export async function claimHostname(
  trx: Trx,
  context: OrganizationContext,
  hostname: string,
): Promise<EarlierRecords | null> {
  await removeVoidClaim(trx, context, hostname);
  const resting = await trx
    .selectFrom('resting_hostnames')
    .selectAll()
    .where('hostname', '=', hostname)
    .executeTakeFirst();
  if (!resting) return null;
  const isOwn = resting.organization_id === context.organization.id;
  if (!isOwn && resting.until > context.app.clock.now()) {
    throw new AppError('hostname_resting', { hostname, until: toInstant(resting.until) });
  }
  await trx.deleteFrom('resting_hostnames').where('hostname', '=', hostname).execute();
  return isOwn ? resting : null;
}

/** Goes on when nobody has the hostname any more. @throws hostname_taken */
async function removeVoidClaim(trx: Trx, context: OrganizationContext, hostname: string): Promise<void> {
  const { app, organization } = context;
  const now = app.clock.now();
  const holder = await trx
    .selectFrom('cdn_endpoints')
    .select(['id', 'organization_id', 'origin_type', 'site_id', 'redirect_target'])
    .where('hostname', '=', hostname)
    .executeTakeFirst();
  if (!holder) return;
  const { numDeletedRows } = await trx
    .deleteFrom('cdn_endpoints')
    .where('id', '=', holder.id)
    .where('organization_id', '!=', organization.id)
    .where((eb) =>
      eb.or([
        eb.and([eb('proven_at', 'is', null), eb('created_at', '<=', now - UNPROVEN_CLAIM_MS)]),
        eb('id', 'in', selectLost(trx, now - LOST_CLAIM_MS)),
      ]),
    )
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new AppError('hostname_taken', { hostname });
  await endLifetime(trx, holder.id, now);
  // The other organization learns that its time was over, not who came after it.
  const rule: RequestContext = {
    app,
    actor: { kind: 'job', name: 'unproven-hostname' },
    requestId: context.requestId,
    address: '',
  };
  const { id, organization_id, ...origin } = holder;
  await recordAudit(trx, rule, {
    action: 'endpoint.expire',
    resource_type: 'endpoint',
    resource_id: id,
    organization_id,
    before: { hostname, ...origin },
  });
  await recordAudit(trx, context, {
    action: 'endpoint.supersede',
    resource_type: 'hostname',
    resource_id: hostname,
    organization_id: organization.id,
    after: { hostname },
  });
}

/** Endpoints whose traffic is elsewhere and whose challenge record has been gone since before an instant. */
function selectLost(trx: Trx, before: number) {
  return trx
    .selectFrom('certificate_bundles')
    .select('endpoint_id')
    .$narrowType<{ endpoint_id: NotNull }>()
    .where('dns_validated_at', 'is', null)
    .where('dns_challenge_validated_at', 'is', null)
    .where('dns_problem_since', '<=', before);
}
