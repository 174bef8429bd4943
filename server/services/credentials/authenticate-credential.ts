import { createHash, timingSafeEqual } from 'node:crypto';
import { preparedQuery } from '#db/prepared-query.ts';
import type { App, CredentialActor } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newToken } from '#server/ids.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import type { Sealer } from '#server/secrets/sealer.ts';
import { noteUse } from './note-use.ts';
import { findActorScopes } from './queries.ts';
import { isPublicKey, isUsable, SECRET_KEY_PREFIX } from './rules.ts';

const NOBODY = 'nobody';

export interface PresentedCredential {
  publicKey: string;
  secretKey: string;
  /** The client's address: failures are limited per key and address. */
  address: string;
}

const selectCredential = preparedQuery((executor, publicKey: string) =>
  executor.selectFrom('credentials').selectAll().where('public_key', '=', publicKey),
);

/**
 * Returns the actor of a credential in its current state: scopes, expiry and deletion apply to the next
 * request. An unknown key takes the same path and time as a wrong secret; an invalid key is not looked up.
 * Failures are counted per key and address, so that no one elsewhere can lock a key out, and per address. An
 * address that failed too often is refused without any lookup, except for credentials that were valid from
 * there before: many people can share an address, and one of them must not stop the deploys of the others.
 * @throws credential_invalid, too_many_requests
 */
export async function authenticateCredential(
  app: App,
  presented: PresentedCredential,
): Promise<CredentialActor> {
  const { publicKey, secretKey } = presented;
  const limits = app.rateLimits;
  const address = addressKey(presented.address);
  const pair = `${publicKey} ${address}`;
  if (!isPublicKey(publicKey)) {
    await limits.check('credential_failure_address', address);
    await limits.consume('credential_failure_address', address);
    throw new AppError('credential_invalid');
  }
  if (!limits.isVouchedFor(pair)) await limits.check('credential_failure_address', address);
  await limits.check('credential_failure_key', pair);

  const [row] = await selectCredential(app.db, publicKey);
  const expected = row ? app.sealer.open(row.secret_sealed, row.id) : openNobodysSecret(app.sealer);
  const isRight = timingSafeEqual(digest(secretKey), digest(expected)) && row !== undefined;
  const now = app.clock.now();
  if (!isRight || !isUsable(row, now)) {
    await limits.consume('credential_failure_key', pair);
    await limits.consume('credential_failure_address', address);
    throw new AppError('credential_invalid');
  }
  limits.vouchFor(pair);
  await noteUse(app.db, row, now);
  return {
    kind: 'credential',
    credentialId: row.id,
    name: row.name,
    organizationId: row.organization_id,
    mayPublish: row.may_publish === 1,
    mayCreateBuckets: row.may_create_buckets === 1,
    scopes: await findActorScopes(app.db, row.id),
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const nobodysSecrets = new WeakMap<Sealer, string>();

/** Opens a dummy secret, so that an unknown key takes as long as a known one. */
function openNobodysSecret(sealer: Sealer): string {
  let sealed = nobodysSecrets.get(sealer);
  if (sealed === undefined) {
    sealed = sealer.seal(SECRET_KEY_PREFIX + newToken(), NOBODY);
    nobodysSecrets.set(sealer, sealed);
  }
  return sealer.open(sealed, NOBODY);
}
