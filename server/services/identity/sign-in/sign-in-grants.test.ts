import { describe, expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { claimMembershipRefresh } from './claim-membership-refresh.ts';
import { deleteExpiredSignIns } from './delete-expired-sign-ins.ts';
import { endVoidSignIn } from './end-void-sign-in.ts';
import {
  findSignInGrant,
  forgetSignInGrant,
  keepSignInGrant,
  replaceSignInGrant,
  type SignInGrant,
} from './sign-in-grants.ts';

const GRANT: SignInGrant = {
  accessToken: 'access one',
  refreshToken: 'refresh one',
  accessExpiresAt: 1_000,
  groupsSource: null,
};
const NEWER: SignInGrant = { ...GRANT, accessToken: 'access two', refreshToken: 'refresh two' };

async function prepare() {
  const app = await createTestApp();
  const ada = await createTestPerson(app, { issuer: 'https://code.example.ca' });
  const grace = await createTestPerson(app, { issuer: 'https://code.example.ca' });
  const keep = (grant: SignInGrant, userId = ada.user.id) =>
    inTransaction(app.db, (trx) => keepSignInGrant(trx, app, userId, grant));
  const find = async () => {
    const grant = await findSignInGrant(app.db, app, ada.user.id);
    if (!grant) throw new Error('no grant');
    return grant;
  };
  return { app, ada, grace, keep, find };
}

const sessionsOf = (app: TestApp, userId: string) =>
  app.db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute();

describe('an issuer’s grant', () => {
  it('is returned as it was, and stored sealed', async () => {
    const { app, keep, find } = await prepare();
    await keep(GRANT);
    expect(await find()).toMatchObject(GRANT);
    const rows = JSON.stringify(await app.db.selectFrom('sign_in_grants').selectAll().execute());
    expect(rows).not.toMatch(/access one|refresh one/);
  });

  it('opens for no one else and in no other place', async () => {
    const { app, ada, grace, keep } = await prepare();
    await keep(GRANT);
    await app.db.updateTable('sign_in_grants').set({ user_id: grace.user.id }).execute();
    await expect(findSignInGrant(app.db, app, grace.user.id)).rejects.toThrow();
    const sealed = await app.db.selectFrom('sign_in_grants').selectAll().executeTakeFirstOrThrow();
    await app.db
      .updateTable('sign_in_grants')
      .set({ user_id: ada.user.id, access_token_sealed: sealed.refresh_token_sealed ?? '' })
      .execute();
    await expect(findSignInGrant(app.db, app, ada.user.id)).rejects.toThrow();
  });

  it('is that of the newest sign-in', async () => {
    const { keep, find } = await prepare();
    await keep(GRANT);
    await keep({ ...NEWER, refreshToken: null, accessExpiresAt: null });
    expect(await find()).toMatchObject({
      accessToken: 'access two',
      refreshToken: null,
      accessExpiresAt: null,
    });
  });

  it('is deleted a day after the person’s last session', async () => {
    const { app, grace, keep, find } = await prepare();
    await keep(GRANT);
    await keep(GRANT, grace.user.id);
    await app.db.deleteFrom('sessions').where('user_id', '=', grace.user.id).execute();
    const isKept = async () => (await findSignInGrant(app.db, app, grace.user.id)) !== null;
    await deleteExpiredSignIns(app);
    expect(await isKept()).toBe(true);
    app.clock.advance(86_400_000);
    await deleteExpiredSignIns(app);
    expect(await isKept()).toBe(false);
    expect(await find()).toMatchObject(GRANT);
  });

  it('renewed twice at the same time is stored once, and the first one wins', async () => {
    const { app, ada, keep, find } = await prepare();
    await keep(GRANT);
    const from = await find();
    const kept = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        replaceSignInGrant(app.db, app, ada.user.id, { from, to: { ...NEWER, accessToken: name } }),
      ),
    );
    const marks = kept.filter((mark) => mark !== null);
    expect(marks).toEqual([(await find()).mark]);
  });

  it('renewed after a new sign-in does not replace that one’s', async () => {
    const { app, ada, keep, find } = await prepare();
    await keep(GRANT);
    const from = await find();
    await keep(NEWER);
    const late = { ...GRANT, accessToken: 'late' };
    expect(await replaceSignInGrant(app.db, app, ada.user.id, { from, to: late })).toBeNull();
    expect(await forgetSignInGrant(app.db, ada.user.id, from.mark)).toBe(false);
    expect(await find()).toMatchObject(NEWER);
  });
});

describe('a void grant', () => {
  const endFor = async (
    { app, ada }: Pick<Awaited<ReturnType<typeof prepare>>, 'app' | 'ada'>,
    mark: string | null,
  ) => {
    const actor = { kind: 'job', name: 'membership sync' } as const;
    const context = { app, actor, requestId: 'request', address: '192.0.2.7' };
    return endVoidSignIn(context, { userId: ada.user.id, mark });
  };

  it('ends the person’s sessions, is deleted, and both are recorded', async () => {
    const { app, ada, grace, keep, find } = await prepare();
    await keep(GRANT);
    expect(await endFor({ app, ada }, (await find()).mark)).toBe(1);
    expect(await sessionsOf(app, ada.user.id)).toEqual([]);
    expect(await sessionsOf(app, grace.user.id)).toHaveLength(1);
    expect(await findSignInGrant(app.db, app, ada.user.id)).toBeNull();
    const rows = await app.db
      .selectFrom('audit_events')
      .select(['actor_kind', 'actor_name', 'address'])
      .where('action', '=', 'session.end_by_issuer')
      .execute();
    expect(rows).toEqual([{ actor_kind: 'job', actor_name: 'membership sync', address: '192.0.2.7' }]);
  });

  it('ends nothing once another sign-in has replaced it', async () => {
    const { app, ada, keep, find } = await prepare();
    await keep(GRANT);
    const { mark } = await find();
    await keep(NEWER);
    expect(await endFor({ app, ada }, mark)).toBe(0);
    expect(await endFor({ app, ada }, null)).toBe(0);
    expect(await sessionsOf(app, ada.user.id)).toHaveLength(1);
  });

  it('that never existed ends the sessions too', async () => {
    const { app, ada } = await prepare();
    expect(await endFor({ app, ada }, null)).toBe(1);
    expect(await sessionsOf(app, ada.user.id)).toEqual([]);
  });
});

describe('the request for memberships', () => {
  const MINUTE = 60_000;

  it('is made by one of several nodes at a time', async () => {
    const { app, ada } = await prepare();
    const claims = await Promise.all(
      [1, 2, 3, 4].map(() => claimMembershipRefresh(app.db, ada.user.id, app.clock.now())),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('is repeated a minute after it failed, and a quarter of an hour after it was answered', async () => {
    const { app, ada } = await prepare();
    const claim = () => claimMembershipRefresh(app.db, ada.user.id, app.clock.now());
    expect(await claim()).toBe(true);
    app.clock.advance(MINUTE - 1);
    expect(await claim()).toBe(false);
    app.clock.advance(1);
    expect(await claim()).toBe(true);
    await app.db.updateTable('users').set({ memberships_synced_at: app.clock.now() }).execute();
    app.clock.advance(15 * MINUTE - 1);
    expect(await claim()).toBe(false);
    app.clock.advance(1);
    expect(await claim()).toBe(true);
  });
});
