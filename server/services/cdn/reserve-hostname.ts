import type { Trx } from '#db/client.ts';
import { isLocalName } from '../certificates/rules.ts';
import type { EndpointRow } from './queries.ts';
import { HOSTNAME_RESERVED_MS } from './rules.ts';

/**
 * Reserves the hostname of an endpoint that is being removed for its organization, with its records, so that
 * no other organization can claim it immediately and a mistaken removal needs no change of DNS. A hostname
 * that was never proven becomes available to anyone, and keeps its records for its organization until then.
 */
export async function reserveHostname(trx: Trx, endpoint: EndpointRow, now: number): Promise<void> {
  const { id, hostname, organization_id, cname_target, proven_at } = endpoint;
  if (isLocalName(hostname)) return;
  const bundle = await trx
    .selectFrom('certificate_bundles')
    .select('dns_challenge_id')
    .where('endpoint_id', '=', id)
    .executeTakeFirst();
  const kept = {
    organization_id,
    cname_target,
    dns_challenge_id: bundle?.dns_challenge_id ?? null,
    until: proven_at === null ? now : now + HOSTNAME_RESERVED_MS,
  };
  await trx
    .insertInto('resting_hostnames')
    .values({ hostname, ...kept })
    .onConflict((conflict) => conflict.column('hostname').doUpdateSet(kept))
    .execute();
}
