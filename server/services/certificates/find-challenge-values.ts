import type { Executor } from '#db/client.ts';

/**
 * Returns the texts at `{dnsChallengeId}.{ACME_ZONE}`, in a fixed order: empty while nothing is being issued,
 * and null for a label that belongs to no bundle. They are read for every question, so that a new value is
 * visible immediately.
 */
export async function findChallengeValues(
  executor: Executor,
  dnsChallengeId: string,
): Promise<readonly string[] | null> {
  const rows = await executor
    .selectFrom('challenge_values')
    .select('value')
    .where('dns_challenge_id', '=', dnsChallengeId)
    .orderBy('value')
    .execute();
  if (rows.length > 0) return rows.map(({ value }) => value);
  const bundle = await executor
    .selectFrom('certificate_bundles')
    .select('id')
    .where('dns_challenge_id', '=', dnsChallengeId)
    .executeTakeFirst();
  return bundle ? [] : null;
}
