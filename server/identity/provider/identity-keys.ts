import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'oidc-provider';
import type { App } from '../../context.ts';
import { newToken } from '../../ids.ts';

const NAME = 'identity-keys';

/** The keys that the embedded provider signs with. */
export interface IdentityKeys {
  /** The private key set of ID tokens. */
  jwks: { keys: JWK[] };
  /** Keys of the provider's own cookies, newest first. */
  cookie_keys: string[];
}

/**
 * Returns the installation's keys, created and sealed on the first start; nodes that start at the same time
 * agree on one set.
 */
export async function loadIdentityKeys({ db, sealer, clock }: App): Promise<IdentityKeys> {
  const find = () =>
    db.selectFrom('installation_values').select('value').where('name', '=', NAME).executeTakeFirst();
  if (!(await find())) {
    await db
      .insertInto('installation_values')
      .values({ name: NAME, value: sealer.seal(JSON.stringify(createKeys()), NAME), created_at: clock.now() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
  }
  const row = await find();
  if (!row) throw new Error('the identity keys were not stored');
  return JSON.parse(sealer.open(row.value, NAME));
}

function createKeys(): IdentityKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: newToken(12), use: 'sig', alg: 'ES256' };
  return { jwks: { keys: [key as JWK] }, cookie_keys: [newToken()] };
}
