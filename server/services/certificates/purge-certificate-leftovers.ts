import { sql } from 'kysely';
import { databaseNow } from '#db/database-now.ts';
import type { App, RequestContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';
import { workThrough } from '../stuck-work/work-through.ts';
import { LIMITS_REACH_MS } from './issuing/limit-rules.ts';
import { publishChallenge } from './issuing/publish-challenge.ts';

/**
 * Removes what issuances leave behind: attempts that no longer count towards any limit, challenge values
 * without an order (its endpoint was removed meanwhile), and leases of nodes that crashed. Returns how many
 * of each.
 */
export async function purgeCertificateLeftovers(
  context: RequestContext,
  stopping?: AbortSignal,
): Promise<{ attempts: number; challenges: number; leases: number }> {
  const { app } = context;
  const now = app.clock.now();
  const attempts = await removeInSlices(
    (limit) =>
      app.db
        .deleteFrom('certificate_attempts')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('certificate_attempts as old')
            .select('old.id')
            .where('old.at', '<=', now - LIMITS_REACH_MS)
            .limit(limit),
        )
        .executeTakeFirstOrThrow(),
    stopping,
  );
  const leases = await app.db
    .deleteFrom('leases')
    .where('name', 'like', 'certificate:%')
    .where('expires_at', '<', sql<number>`${databaseNow(app.db)} - ${DAY_MS}`)
    .executeTakeFirst();
  const challenges = await workThrough(app, {
    job: 'purge-certificate-leftovers',
    list: (after, limit) => listAbandonedChallenges(app, now - DAY_MS, after, limit),
    nameOf: (dnsChallengeId) => dnsChallengeId,
    work: async (dnsChallengeId) => {
      await publishChallenge(app, dnsChallengeId, []);
      return true;
    },
    stopping,
  });
  return {
    attempts,
    challenges,
    leases: Number(leases.numDeletedRows),
  };
}

async function listAbandonedChallenges(
  app: App,
  before: number,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await app.db
    .selectFrom('challenge_values')
    .select('dns_challenge_id')
    .distinct()
    .where('created_at', '<', before)
    .where('dns_challenge_id', '>', after)
    .orderBy('dns_challenge_id')
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
    .limit(limit)
    .execute();
  return rows.map(({ dns_challenge_id }) => dns_challenge_id);
}
