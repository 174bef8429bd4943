import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { App } from '../../context.ts';
import { identityAccountKey } from '../../services/identity/accounts/identity-account-key.ts';
import { hashPayloadId } from '../../services/identity/queries.ts';

/**
 * Returns the provider's storage of one model. Ids of sessions, codes and tokens grant access to a browser or
 * client, so they are stored hashed and the payloads sealed: a copy of the table does not allow signing in.
 * Expiry follows the machine's clock, as everything in the provider does; the provider itself refuses what
 * has expired.
 */
export function createProviderAdapter({ db, sealer }: Pick<App, 'db' | 'sealer'>, model: string): Adapter {
  const associated = (id: string) => `identity:${model}:${id}`;
  const open = (row: { id: string; payload: string; consumed_at: number | null } | undefined) => {
    if (!row) return undefined;
    const payload: AdapterPayload = JSON.parse(sealer.open(row.payload, associated(row.id)));
    if (row.consumed_at !== null) payload.consumed = Math.floor(row.consumed_at / 1000);
    return payload;
  };
  const accountKeyOf = ({ accountId, result, session }: AdapterPayload) => {
    // The person who answered a pending sign-in counts too.
    const subject = accountId ?? result?.login?.accountId ?? session?.accountId;
    return subject === undefined ? null : identityAccountKey(sealer, subject);
  };
  const rows = () =>
    db.selectFrom('identity_payloads').select(['id', 'payload', 'consumed_at']).where('model', '=', model);

  return {
    async upsert(id, payload, expiresInSeconds) {
      const key = hashPayloadId(id);
      const values = {
        payload: sealer.seal(JSON.stringify(payload), associated(key)),
        grant_id: payload.grantId ?? null,
        // A token belongs to the session of the browser it came through: both end together.
        uid: payload.uid ?? payload.sessionUid ?? null,
        account_key: accountKeyOf(payload),
        user_code: payload.userCode ?? null,
        expires_at: expiresInSeconds === undefined ? null : Date.now() + expiresInSeconds * 1000,
      };
      await db
        .insertInto('identity_payloads')
        .values({ model, id: key, consumed_at: null, ...values })
        .onConflict((conflict) => conflict.columns(['model', 'id']).doUpdateSet(values))
        .execute();
    },

    async find(id) {
      return open(await rows().where('id', '=', hashPayloadId(id)).executeTakeFirst());
    },

    async findByUid(uid) {
      return open(await rows().where('uid', '=', uid).executeTakeFirst());
    },

    async findByUserCode(userCode) {
      return open(await rows().where('user_code', '=', userCode).executeTakeFirst());
    },

    async consume(id) {
      const { numUpdatedRows } = await db
        .updateTable('identity_payloads')
        .set({ consumed_at: Date.now() })
        .where('model', '=', model)
        .where('id', '=', hashPayloadId(id))
        .where('consumed_at', 'is', null)
        .executeTakeFirst();
      // The provider looks up and then consumes; of two requests that looked up at the same time, one is too
      // late here.
      if (numUpdatedRows === 0n) throw new errors.InvalidGrant('already consumed');
    },

    async destroy(id) {
      await db
        .deleteFrom('identity_payloads')
        .where('model', '=', model)
        .where('id', '=', hashPayloadId(id))
        .execute();
    },

    async revokeByGrantId(grantId) {
      await db
        .deleteFrom('identity_payloads')
        .where('model', '=', model)
        .where('grant_id', '=', grantId)
        .execute();
    },
  };
}
