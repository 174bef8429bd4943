import { createHmac } from 'node:crypto';
import type { App, OrganizationContext } from '#server/context.ts';
import { withBoundedLookup } from '#server/dns-client/bounded-lookup.ts';
import { AppError } from '#server/errors.ts';
import { labelOf } from '#server/ids.ts';
import { followAliases } from '../certificates/inspection/follow-aliases.ts';
import { inspectChallenge } from '../certificates/inspection/inspect-challenge.ts';
import { challengeName, isLocalName } from '../certificates/rules.ts';

/** All lookups of one request together take no longer than this. */
const BUDGET_MS = 5_000;

/** Proof, from its DNS a moment ago, of control over a hostname that another organization has. */
export interface HostnameProof {
  /** The label below ACME_ZONE that the hostname's challenge record points at: this organization's own. */
  challengeId: string;
  /** The endpoint that gives way, as seen then; null when the hostname is only reserved. */
  holder: { id: string; proven_at: number | null } | null;
}

/** The claim that is in the way. */
interface Obstacle {
  holder: HostnameProof['holder'];
  /** Whether that organization ever proved the hostname. */
  isProven: boolean;
  cname_target: string;
}

/**
 * Checks whether the organization controls a hostname that another one holds: its challenge record points at
 * this organization's own name, which cannot happen by mistake, and if the holder has proven it, its traffic
 * no longer leads to the holder by name. Nothing is stored between two requests: the record to set is the
 * same each time.
 * @param refusal why the hostname is not available without proof
 * @throws hostname_unproven with the record to set while the holder has not proven it; the refusal with the
 * record to set when it has; the unchanged refusal for the organization's own hostname; dns_unavailable,
 * too_many_requests
 */
export async function findHostnameProof(
  context: OrganizationContext,
  hostname: string,
  refusal: AppError,
): Promise<HostnameProof> {
  const { app, organization } = context;
  const obstacle = isLocalName(hostname) ? null : await findObstacle(context, hostname);
  if (!obstacle) throw refusal;
  await app.rateLimits.consume('dns_inspection_organization', organization.id);
  const challengeId = challengeIdOf(app, organization.id, hostname);
  const record = { name: challengeName(hostname), target: `${challengeId}.${app.config.acmeZone}` };
  const isShown = await withBoundedLookup(app.lookup, BUDGET_MS, async (lookup) => {
    const { fact, isDelegated } = await inspectChallenge(lookup, record.name, record.target, null);
    if (isDelegated === null) throw unanswered(fact.name);
    if (!isDelegated || !obstacle.isProven) return isDelegated;
    const { end } = await followAliases(lookup, hostname, obstacle.cname_target);
    if (end === 'timeout' || end === 'failed') throw unanswered(hostname);
    return end !== 'target';
  });
  if (isShown) return { challengeId, holder: obstacle.holder };
  const code = obstacle.isProven ? refusal.code : 'hostname_unproven';
  throw new AppError(code, { ...refusal.params, hostname, ...record });
}

/**
 * The label that proves an organization's control of a hostname before it has an endpoint there: the same for
 * each request, so nothing has to be stored for those who never come back, and different for every other
 * organization.
 */
function challengeIdOf({ sealer }: App, organizationId: string, hostname: string): string {
  const mac = createHmac('sha256', sealer.deriveKey('hostname-proof'));
  return labelOf(mac.update(`${organizationId} ${hostname}`).digest());
}

/** Returns who has the hostname; null when it is the organization itself, or no longer taken. */
async function findObstacle(
  { app, organization }: OrganizationContext,
  hostname: string,
): Promise<Obstacle | null> {
  const holder = await app.db
    .selectFrom('cdn_endpoints')
    .select(['id', 'organization_id', 'cname_target', 'proven_at'])
    .where('hostname', '=', hostname)
    .executeTakeFirst();
  if (holder) {
    const { id, organization_id, cname_target, proven_at } = holder;
    if (organization_id === organization.id) return null;
    return { holder: { id, proven_at }, isProven: proven_at !== null, cname_target };
  }
  const resting = await app.db
    .selectFrom('resting_hostnames')
    .select('cname_target')
    .where('hostname', '=', hostname)
    .where('organization_id', '!=', organization.id)
    .executeTakeFirst();
  return resting ? { holder: null, isProven: true, cname_target: resting.cname_target } : null;
}

function unanswered(name: string): AppError {
  return new AppError('dns_unavailable', { name, reason: 'its name servers do not answer' });
}
