import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { newId, newLabel } from '#server/ids.ts';
import { isLocalName } from './rules.ts';

/**
 * Creates the certificate bundle of an endpoint, in the transaction that creates the endpoint; the jobs
 * inspect its records right away. A name of this machine needs no record and is issued immediately.
 * @param challengeId the label of an earlier bundle of the same hostname, so that its record stays correct
 */
export async function insertBundle(
  trx: Trx,
  app: App,
  endpoint: { id: string; organization_id: string; hostname: string },
  challengeId: string | null = null,
): Promise<void> {
  const now = app.clock.now();
  const isLocal = isLocalName(endpoint.hostname);
  await trx
    .insertInto('certificate_bundles')
    .values({
      id: newId(now),
      organization_id: endpoint.organization_id,
      endpoint_id: endpoint.id,
      domain_name: endpoint.hostname,
      dns_challenge_id: challengeId ?? newLabel(),
      dns_validated_at: isLocal ? now : null,
      dns_challenge_validated_at: isLocal ? now : null,
      next_check_at: now,
      next_issue_at: isLocal ? now : null,
      created_at: now,
      updated_at: now,
    })
    .execute();
}
