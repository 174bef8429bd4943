import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';

/**
 * Publishes these values at `{dnsChallengeId}.{ACME_ZONE}`, through our DNS role and the operator's name
 * server if configured. An empty list removes the name.
 */
export async function publishChallenge(
  app: App,
  dnsChallengeId: string,
  values: readonly string[],
): Promise<void> {
  const now = app.clock.now();
  const rows = [...new Set(values)].map((value) => ({
    dns_challenge_id: dnsChallengeId,
    value,
    created_at: now,
  }));
  await inTransaction(app.db, async (trx) => {
    await trx
      .deleteFrom('challenge_values')
      .where('dns_challenge_id', '=', dnsChallengeId)
      .$if(rows.length > 0, (query) =>
        query.where(
          'value',
          'not in',
          rows.map(({ value }) => value),
        ),
      )
      .execute();
    if (rows.length === 0) return;
    await trx
      .insertInto('challenge_values')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['dns_challenge_id', 'value']).doNothing())
      .execute();
  });
  await app.challengeUpdates?.put(
    dnsChallengeId,
    rows.map(({ value }) => value),
  );
}
