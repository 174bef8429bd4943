import { sql } from 'kysely';
import { databaseNow } from '#db/database-now.ts';
import type { App, RequestContext } from '#server/context.ts';
import { LIMITS_REACH_MS } from './limit-rules.ts';
import { publishChallenge } from './publish-challenge.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;

/**
 * Removes what issuances leave behind: attempts that count towards no limit any more, challenge values without an order
 * (its endpoint was removed in the middle), and leases of nodes that crashed. Returns how many of each.
 */
export async function purgeCertificateLeftovers(
  context: RequestContext,
): Promise<{ attempts: number; challenges: number; leases: number }> {
  const { app } = context;
  const now = app.clock.now();
  const attempts = await app.db
    .deleteFrom('certificate_attempts')
    .where('at', '<=', now - LIMITS_REACH_MS)
    .executeTakeFirst();
  const leases = await app.db
    .deleteFrom('leases')
    .where('name', 'like', 'certificate:%')
    .where('expires_at', '<', sql<number>`${databaseNow(app.db)} - ${DAY_MS}`)
    .executeTakeFirst();
  const abandoned = await findAbandonedChallenges(app, now - DAY_MS);
  for (const dnsChallengeId of abandoned) await publishChallenge(app, dnsChallengeId, []);
  return {
    attempts: Number(attempts.numDeletedRows),
    challenges: abandoned.length,
    leases: Number(leases.numDeletedRows),
  };
}

async function findAbandonedChallenges(app: App, before: number): Promise<string[]> {
  const rows = await app.db
    .selectFrom('challenge_values')
    .select('dns_challenge_id')
    .distinct()
    .where('created_at', '<', before)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('certificate_orders')
            .innerJoin('certificate_bundles', 'certificate_bundles.id', 'certificate_orders.bundle_id')
            .select('certificate_orders.bundle_id')
            .whereRef('certificate_bundles.dns_challenge_id', '=', 'challenge_values.dns_challenge_id'),
        ),
      ),
    )
    .limit(BATCH)
    .execute();
  return rows.map(({ dns_challenge_id }) => dns_challenge_id);
}
