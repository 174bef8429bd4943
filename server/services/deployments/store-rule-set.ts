import { createHash } from 'node:crypto';
import type { Trx } from '#db/client.ts';
import type { VersionRules } from './read-rule-files.ts';

/**
 * Stores the rules of a version unless they are there already, and returns the hash that names them; null where there are
 * none. The row stays locked until the transaction ends: a collector that waits for it sees afterwards that it is young.
 */
export async function storeRuleSet(
  trx: Trx,
  rules: Pick<VersionRules, 'redirects' | 'headers'>,
  now: number,
): Promise<string | null> {
  if (rules.redirects.length === 0 && rules.headers.length === 0) return null;
  const redirects = JSON.stringify(rules.redirects);
  const headers = JSON.stringify(rules.headers);
  // JSON on one line holds no line break, so no two pairs of texts make one.
  const sha256 = createHash('sha256').update(`${redirects}\n${headers}`).digest('hex');
  await trx
    .insertInto('rule_sets')
    .values({ sha256, redirects, headers, touched_at: now })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ touched_at: now }))
    .execute();
  return sha256;
}
