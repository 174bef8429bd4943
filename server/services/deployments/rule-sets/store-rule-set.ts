import { createHash } from 'node:crypto';
import type { Trx } from '#db/client.ts';
import type { VersionRules } from './read-rule-files.ts';

/**
 * Stores the rules of a version unless they are already there, and returns the hash that identifies them;
 * null when there are none. The row stays locked until the transaction ends: a collector that waits for it
 * then sees that it is young.
 */
export async function storeRuleSet(
  trx: Trx,
  rules: Pick<VersionRules, 'redirects' | 'headers'>,
  now: number,
): Promise<string | null> {
  if (rules.redirects.length === 0 && rules.headers.length === 0) return null;
  const redirects = JSON.stringify(rules.redirects);
  const headers = JSON.stringify(rules.headers);
  // JSON on one line contains no line break, so two different pairs of texts never join to the same one.
  const sha256 = createHash('sha256').update(`${redirects}\n${headers}`).digest('hex');
  await trx
    .insertInto('rule_sets')
    .values({ sha256, redirects, headers, touched_at: now })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ touched_at: now }))
    .execute();
  return sha256;
}
