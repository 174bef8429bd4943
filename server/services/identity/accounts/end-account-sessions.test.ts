import { describe, expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { endIdentitySessions, hashPayloadId } from '../queries.ts';
import { endAccountSessions } from './end-account-sessions.ts';
import { identityAccountKey } from './identity-account-key.ts';

/**
 * The state of two browsers of account 7 and one of account 8 at the embedded provider; ids are stored
 * hashed.
 */
async function createState() {
  const app = await createTestApp();
  const browsers = [
    { subject: '7', uid: 'desk' },
    { subject: '7', uid: 'phone' },
    { subject: '8', uid: 'other' },
  ];
  for (const { subject, uid } of browsers) {
    const account_key = identityAccountKey(app.sealer, subject);
    const grantId = `grant-${uid}`;
    const row = { payload: '', user_code: null, consumed_at: null, expires_at: null, account_key };
    await app.db
      .insertInto('identity_payloads')
      .values([
        { ...row, model: 'Session', id: `session-${uid}`, uid, grant_id: null },
        { ...row, model: 'Grant', id: hashPayloadId(grantId), uid: null, grant_id: null },
        { ...row, model: 'AccessToken', id: `access-${uid}`, uid, grant_id: grantId },
        { ...row, model: 'RefreshToken', id: `refresh-${uid}`, uid, grant_id: grantId },
        { ...row, model: 'Interaction', id: `interaction-${uid}`, uid: null, grant_id: null },
      ])
      .execute();
  }
  return app;
}

async function leftIn({ db }: TestApp): Promise<string[]> {
  const rows = await db.selectFrom('identity_payloads').select(['model', 'id']).execute();
  const names = new Map(
    ['desk', 'phone', 'other'].map((uid) => [hashPayloadId(`grant-${uid}`), `grant-${uid}`]),
  );
  return rows.map(({ id }) => names.get(id) ?? id).sort();
}

const all = (uid: string) =>
  ['access', 'grant', 'interaction', 'refresh', 'session'].map((kind) => `${kind}-${uid}`);

describe('a password that is no longer valid', () => {
  it('ends everything of the account except the named browser’s session, and nothing of others', async () => {
    const app = await createState();
    const { sealer } = app;
    await inTransaction(app.db, (trx) => endAccountSessions(trx, { sealer, subject: '7', except: 'desk' }));
    expect(await leftIn(app)).toEqual([...all('other'), 'session-desk'].sort());
  });

  it('ends every browser’s session when none is named', async () => {
    const app = await createState();
    const { sealer } = app;
    await inTransaction(app.db, (trx) => endAccountSessions(trx, { sealer, subject: '7', except: null }));
    expect(await leftIn(app)).toEqual(all('other').sort());
  });
});

describe('a sign-out', () => {
  it('ends what was granted through that browser, and nothing else', async () => {
    const app = await createState();
    await inTransaction(app.db, (trx) => endIdentitySessions(trx, ['desk', null]));
    expect(await leftIn(app)).toEqual([...all('other'), ...all('phone'), 'interaction-desk'].sort());
  });
});

describe('the key of an account', () => {
  it('is the same each time, differs between accounts and installations, and does not reveal whose it is', async () => {
    const environment = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
    const [one, two] = [await createTestApp(), await createTestApp({ environment })];
    const key = identityAccountKey(one.sealer, '7');
    expect(identityAccountKey(one.sealer, '7')).toBe(key);
    expect(identityAccountKey(one.sealer, '8')).not.toBe(key);
    expect(identityAccountKey(two.sealer, '7')).not.toBe(key);
    expect(key).toMatch(/^[\w-]{43}$/);
  });
});
