import { describe, expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import type { RequestContext } from '#server/context.ts';
import {
  findSignInGrant,
  keepSignInGrant,
  type SignInGrant,
} from '#server/services/identity/sign-in/sign-in-grants.ts';
import { signInUser } from '#server/services/identity/sign-in/sign-in-user.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, withIssuer } from '#tests/support/app/test-person.ts';
import type { IssuedTokens, OidcClient } from '../oidc-client.ts';
import { createSessions } from '../sessions.ts';
import type { Upstream } from './create-upstream.ts';
import { createMembershipRefresh } from './membership-refresh.ts';
import { UpstreamError } from './upstream-error.ts';

const MINUTE = 60_000;
const ISSUER = 'https://code.example.ca';
const RIVERS = {
  upstream_id: '12',
  handle: 'rivers',
  name: 'Rivers',
  description: null,
  website: null,
  location: null,
  avatar_url: null,
  permission: 'write',
} as const;

/** An issuer whose refresh tokens work once, and a person with a session here. */
async function prepare() {
  const app = await createTestApp();
  const ada = await createTestPerson(app, { issuer: ISSUER, subject: '42', login: 'ada' });
  const sessions = createSessions(withIssuer(app, ISSUER));
  const issuer = {
    /** The only refresh token that works. */
    refreshToken: 'refresh 0',
    accessToken: 'access 0',
    asked: 0,
    renewals: 0,
    organizations: [RIVERS] as (typeof RIVERS)[],
    beforeRenewal: async () => undefined as undefined,
    beforeAnswer: async () => undefined as undefined,
  };
  const unused = () => Promise.reject(new Error('not part of a refresh'));
  const client: OidcClient = {
    metadata: async () => ({ issuer: ISSUER }),
    authorizationUrl: unused,
    exchange: unused,
    userInfo: unused,
    async refresh(refreshToken): Promise<IssuedTokens> {
      await issuer.beforeRenewal();
      if (refreshToken !== issuer.refreshToken) throw new UpstreamError('refused', 'refresh: invalid_grant');
      issuer.renewals += 1;
      issuer.refreshToken = `refresh ${issuer.renewals}`;
      issuer.accessToken = `access ${issuer.renewals}`;
      const { accessToken } = issuer;
      return { accessToken, refreshToken: issuer.refreshToken, accessExpiresAt: null, idToken: null };
    },
  };
  const upstream: Upstream = {
    isGrantRequired: true,
    needsFreshTokens: () => true,
    atSignIn: unused,
    async read({ accessToken }) {
      issuer.asked += 1;
      const { organizations } = issuer;
      await issuer.beforeAnswer();
      if (accessToken !== issuer.accessToken) throw new UpstreamError('refused', '/user: 401');
      return { profile: {}, organizations };
    },
  };
  const createNode = () => createMembershipRefresh(app, client, upstream);
  const person = async () => {
    const found = await sessions.validate(ada.sessionCookie);
    if (!found) throw new Error('the session has ended');
    return found;
  };
  const grant = (accessToken: string, refreshToken: string): SignInGrant => ({
    accessToken,
    refreshToken,
    accessExpiresAt: null,
    groupsSource: null,
  });
  const keep = (kept: SignInGrant) =>
    inTransaction(app.db, (trx) => keepSignInGrant(trx, app, ada.user.id, kept));
  const kept = () => findSignInGrant(app.db, app, ada.user.id);
  const names = async () => {
    const rows = await app.db
      .selectFrom('organizations')
      .select('name')
      .where('issuer', '=', ISSUER)
      .execute();
    return rows.map(({ name }) => name);
  };
  await keep(grant('access 0', 'refresh 0'));
  return { app, ada, issuer, createNode, person, grant, keep, kept, names };
}

describe('memberships in use', () => {
  it('are read by only one of two nodes at a time', async () => {
    const { issuer, createNode, person, names } = await prepare();
    const one = await person();
    await Promise.all([
      createNode().before(one, ''),
      createNode().before(one, ''),
      createNode().before(one, ''),
    ]);
    expect(issuer.asked).toBe(1);
    expect(await names()).toEqual(['Rivers']);
  });

  it('cost people of this installation nothing', async () => {
    const { app, issuer, createNode } = await prepare();
    const own = await createTestPerson(app);
    const person = await createSessions(app).validate(own.sessionCookie);
    if (!person) throw new Error('no session');
    expect(await createNode().before(person, '')).toBe(false);
    expect(issuer.asked).toBe(0);
    const user = await app.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', own.user.id)
      .executeTakeFirst();
    expect(user).toMatchObject({ memberships_attempted_at: null, memberships_synced_at: null });
  });

  it('are read with the newest of rotating tokens, whichever node renewed it', async () => {
    const { app, issuer, createNode, person, grant, keep, kept, names } = await prepare();
    issuer.beforeRenewal = async () => {
      // Another node was faster: what this one has read is obsolete.
      issuer.beforeRenewal = async () => undefined;
      issuer.refreshToken = 'refresh elsewhere';
      issuer.accessToken = 'access elsewhere';
      await keep(grant('access elsewhere', 'refresh elsewhere'));
    };
    await createNode().before(await person(), '');
    expect(await names()).toEqual(['Rivers']);
    expect(await kept()).toMatchObject({ refreshToken: 'refresh elsewhere' });
    app.clock.advance(15 * MINUTE);
    await createNode().before(await person(), '');
    expect(await kept()).toMatchObject({ refreshToken: issuer.refreshToken });
  });

  it('keep the renewed token even when the following request fails', async () => {
    const { app, issuer, createNode, person, kept } = await prepare();
    issuer.beforeAnswer = async () => {
      throw new UpstreamError('outage', '/user: 503');
    };
    await createNode().before(await person(), '');
    expect(await kept()).toMatchObject({ refreshToken: 'refresh 1' });
    issuer.beforeAnswer = async () => undefined;
    app.clock.advance(MINUTE);
    await createNode().before(await person(), '');
    expect(issuer.renewals).toBe(2);
  });

  it('do not undo what a sign-in has learned meanwhile, nor lose its tokens', async () => {
    const { app, ada, issuer, createNode, person, grant, kept, names } = await prepare();
    const anonymous: RequestContext = {
      app,
      actor: { kind: 'anonymous' },
      requestId: 'request',
      address: '192.0.2.7',
    };
    issuer.organizations = [];
    issuer.beforeAnswer = async () => {
      app.clock.advance(1);
      const { issuer: name, subject, login, full_name, email } = ada.user;
      const identity = { issuer: name, subject, login, full_name, email, avatar_url: null };
      const newest = {
        organizations: [RIVERS],
        grant: grant('access new', 'refresh new'),
        isEmailProven: true,
      };
      await signInUser(anonymous, identity, async () => undefined, newest);
    };
    await createNode().before(await person(), '');
    expect(await names()).toEqual(['Rivers']);
    const memberships = await app.db
      .selectFrom('memberships')
      .select('permission')
      .where('user_id', '=', ada.user.id)
      .execute();
    expect(memberships).toHaveLength(2);
    expect(await kept()).toMatchObject({ refreshToken: 'refresh new' });
  });

  it('end no session of a new sign-in while the old grant turns out to be void', async () => {
    const { issuer, createNode, person, grant, keep } = await prepare();
    issuer.beforeAnswer = async () => {
      await keep(grant('access new', 'refresh new'));
      throw new UpstreamError('refused', '/user: 401');
    };
    await createNode().before(await person(), '');
    expect(await person()).toMatchObject({ login: 'ada' });
  });

  it('end the session when nothing works any more', async () => {
    const { issuer, createNode, person, kept } = await prepare();
    issuer.refreshToken = 'revoked';
    await createNode().before(await person(), '');
    await expect(person()).rejects.toThrow('the session has ended');
    expect(await kept()).toBeNull();
  });
});
