import { createHash } from 'node:crypto';
import type { Executor } from '#db/client.ts';

const OWN_NUMBER = /^[1-9]\d{0,14}$/;

/** A name at an issuer: a person's subject, or an organization's id. */
export interface UpstreamName {
  issuer: string;
  id: string;
}

/**
 * Returns `{kind}-{numeric id}`: the issuer's own numeric id if it has one. A non-numeric id, or a number
 * that is already used here, gets a number derived from issuer and id, so that nothing is ever shared by
 * accident.
 */
export async function freeExternalId(
  executor: Executor,
  kind: 'personal' | 'org',
  { issuer, id }: UpstreamName,
): Promise<string> {
  if (OWN_NUMBER.test(id)) {
    const own = `${kind}-${id}`;
    const holder = await executor
      .selectFrom('organizations')
      .select('id')
      .where('external_id', '=', own)
      .executeTakeFirst();
    if (!holder) return own;
  }
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, id]))
    .digest();
  return `${kind}-${(digest.readBigUInt64BE() % 9_000_000_000_000_000_000n) + 1_000_000_000_000_000_000n}`;
}
