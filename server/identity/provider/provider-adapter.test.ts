import type { AdapterPayload } from 'oidc-provider';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { identityAccountKey } from '../../services/identity/accounts/identity-account-key.ts';
import { createProviderAdapter } from './provider-adapter.ts';

const CODE = 'a-code-that-signs-somebody-in';

describe('the state of the identity service', () => {
  it('is found again by id, by session uid and by user code, separately for each model', async () => {
    const app = await createTestApp();
    const sessions = createProviderAdapter(app, 'Session');
    await sessions.upsert('s1', { uid: 'u1', accountId: '7' }, 60);
    expect(await sessions.find('s1')).toEqual({ uid: 'u1', accountId: '7' });
    expect(await sessions.findByUid('u1')).toEqual({ uid: 'u1', accountId: '7' });
    expect(await sessions.find('u1')).toBeUndefined();
    expect(await createProviderAdapter(app, 'AccessToken').find('s1')).toBeUndefined();
    const devices = createProviderAdapter(app, 'DeviceCode');
    await devices.upsert('d1', { userCode: 'ABCD' }, 60);
    expect(await devices.findByUserCode('ABCD')).toEqual({ userCode: 'ABCD' });
  });

  it('is replaced by a later write and gone when destroyed', async () => {
    const app = await createTestApp();
    const sessions = createProviderAdapter(app, 'Session');
    await sessions.upsert('s1', { uid: 'u1' }, 60);
    await sessions.upsert('s1', { uid: 'u2' }, 60);
    expect(await sessions.findByUid('u1')).toBeUndefined();
    expect(await sessions.find('s1')).toEqual({ uid: 'u2' });
    await sessions.destroy('s1');
    expect(await sessions.find('s1')).toBeUndefined();
  });

  it('is stored with the time at which it may be deleted', async () => {
    const app = await createTestApp();
    const sessions = createProviderAdapter(app, 'Session');
    const before = Date.now();
    await sessions.upsert('s1', { uid: 'u1' }, 60);
    const { expires_at } = await app.db
      .selectFrom('identity_payloads')
      .select('expires_at')
      .executeTakeFirstOrThrow();
    expect(expires_at).toBeGreaterThanOrEqual(before + 60_000);
    expect(expires_at).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('hands out a code once, also to two requests at the same time', async () => {
    const app = await createTestApp();
    const codes = createProviderAdapter(app, 'AuthorizationCode');
    await codes.upsert(CODE, { accountId: '7' }, 60);
    const attempts = await Promise.allSettled([1, 2, 3].map(() => codes.consume(CODE)));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await codes.find(CODE)).toMatchObject({ consumed: expect.any(Number) });
  });

  it('is deleted with its grant', async () => {
    const app = await createTestApp();
    const tokens = createProviderAdapter(app, 'AccessToken');
    await tokens.upsert('t1', { grantId: 'g1' }, 60);
    await tokens.upsert('t2', { grantId: 'g2' }, 60);
    await tokens.revokeByGrantId('g1');
    expect(await tokens.find('t1')).toBeUndefined();
    expect(await tokens.find('t2')).toEqual({ grantId: 'g2' });
  });

  it('is found by its owner, also a sign-in in progress, and a token by its session', async () => {
    const app = await createTestApp();
    const write = (model: string, payload: AdapterPayload) =>
      createProviderAdapter(app, model).upsert(model, payload, 60);
    await write('Session', { uid: 'u1', accountId: '7' });
    await write('AccessToken', { accountId: '7', sessionUid: 'u1', grantId: 'g1' });
    await write('Interaction', { result: { login: { accountId: '7' } } });
    await write('Grant', { accountId: '8' });
    await write('Anonymous', { uid: 'u2' });
    const rows = await app.db
      .selectFrom('identity_payloads')
      .select(['model', 'uid', 'account_key'])
      .execute();
    const [seven, eight] = ['7', '8'].map((subject) => identityAccountKey(app.sealer, subject));
    const expected = [
      { model: 'Session', uid: 'u1', account_key: seven },
      { model: 'AccessToken', uid: 'u1', account_key: seven },
      { model: 'Interaction', uid: null, account_key: seven },
      { model: 'Grant', uid: null, account_key: eight },
      { model: 'Anonymous', uid: 'u2', account_key: null },
    ];
    expect(rows).toEqual(expect.arrayContaining(expected));
  });

  it('reveals neither codes nor owners to a reader of the table', async () => {
    const app = await createTestApp();
    await createProviderAdapter(app, 'AuthorizationCode').upsert(
      CODE,
      { jti: CODE, accountId: 'account-7' },
      60,
    );
    const table = JSON.stringify(await app.db.selectFrom('identity_payloads').selectAll().execute());
    expect(table).not.toContain(CODE);
    expect(table).not.toContain('account-7');
  });

  it('does not open when a row is replaced by another', async () => {
    const app = await createTestApp();
    const sessions = createProviderAdapter(app, 'Session');
    await sessions.upsert('mine', { accountId: '7' }, 60);
    await sessions.upsert('theirs', { accountId: '8' }, 60);
    const rows = await app.db.selectFrom('identity_payloads').selectAll().execute();
    const [first, second] = rows;
    await app.db
      .updateTable('identity_payloads')
      .set({ payload: second?.payload ?? '' })
      .where('id', '=', first?.id ?? '')
      .execute();
    const reads = await Promise.allSettled([sessions.find('mine'), sessions.find('theirs')]);
    expect(reads.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
