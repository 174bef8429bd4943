import type { NotNull } from 'kysely';
import type { Trx } from '#db/client.ts';
import type { App, OrganizationContext, RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { queueNotice } from '../mail/queue-notice.ts';
import { findAdministrators } from '../organizations/members/find-administrators.ts';
import { toInstant } from '../shared/schema.ts';
import type { UnitOfWork } from '../shared/unit-of-work.ts';
import { endLifetime } from '../usage/keep-lifetime.ts';
import { composeHostnameLost } from './compose-hostname-lost.ts';
import type { HostnameProof } from './find-hostname-proof.ts';
import { LOST_CLAIM_MS, UNPROVEN_CLAIM_MS } from './rules.ts';

/** The DNS targets of an earlier endpoint of the same organization at a hostname. */
export interface EarlierRecords {
  cname_target: string;
  dns_challenge_id: string | null;
}

/**
 * Makes a hostname available to the organization, in the transaction that creates an endpoint there, and
 * returns the records of an earlier endpoint of the organization there, or null. An endpoint of another
 * organization gives way when it has not proven the hostname in time, when the hostname has long led
 * elsewhere, or immediately to proof. If two ask at the same time, the unique hostname admits one.
 * @param proof control of the hostname, verified a moment ago, against the endpoint that existed then
 * @throws hostname_taken; hostname_resting with `until`, when its reservation for another organization ends
 */
export async function claimHostname(
  unit: UnitOfWork,
  context: OrganizationContext,
  hostname: string,
  proof: HostnameProof | null,
): Promise<EarlierRecords | null> {
  const { trx, now } = unit;
  await removeVoidClaim(unit, context, hostname, proof);
  const resting = await trx
    .selectFrom('resting_hostnames')
    .selectAll()
    .where('hostname', '=', hostname)
    .executeTakeFirst();
  if (!resting) return null;
  const isOwn = resting.organization_id === context.organization.id;
  if (!isOwn && proof === null && resting.until > now) {
    throw new AppError('hostname_resting', { hostname, until: toInstant(resting.until) });
  }
  await trx.deleteFrom('resting_hostnames').where('hostname', '=', hostname).execute();
  return isOwn ? resting : null;
}

/** Requires that the hostname is no longer taken. @throws hostname_taken */
async function removeVoidClaim(
  unit: UnitOfWork,
  context: OrganizationContext,
  hostname: string,
  proof: HostnameProof | null,
): Promise<void> {
  const { app, organization } = context;
  const { trx, now, audit } = unit;
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
        // Only in the state that was inspected: one that has been proven since stays.
        eb.and([
          eb('id', '=', proof?.holder?.id ?? ''),
          eb('proven_at', 'is not distinct from', proof?.holder?.proven_at ?? null),
        ]),
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
  await unit.by(rule).audit({
    action: 'endpoint.expire',
    resource_type: 'endpoint',
    resource_id: id,
    organization_id,
    before: { hostname, ...origin },
  });
  await emailAdministrators(trx, app, hostname, holder);
  await audit({
    action: 'endpoint.supersede',
    resource_type: 'hostname',
    resource_id: hostname,
    organization_id: organization.id,
    after: { hostname },
  });
}

/** Emails the people who manage the organization whose endpoint gave way. */
async function emailAdministrators(
  trx: Trx,
  app: App,
  hostname: string,
  { id, organization_id }: { id: string; organization_id: string },
): Promise<void> {
  if (!app.config.mail) return;
  const link = `${app.config.publicUrl}/${organization_id}/cdn`;
  for (const { email, language } of await findAdministrators(trx, organization_id)) {
    await queueNotice(trx, app, {
      recipient: email,
      message: composeHostnameLost(app, language, { hostname, link }),
      resource_type: 'endpoint',
      resource_id: id,
    });
  }
}

/**
 * Endpoints whose traffic goes elsewhere and whose challenge record has been missing since before a given
 * time.
 */
function selectLost(trx: Trx, before: number) {
  return trx
    .selectFrom('certificate_bundles')
    .select('endpoint_id')
    .$narrowType<{ endpoint_id: NotNull }>()
    .where('dns_validated_at', 'is', null)
    .where('dns_challenge_validated_at', 'is', null)
    .where('dns_problem_since', '<=', before);
}
