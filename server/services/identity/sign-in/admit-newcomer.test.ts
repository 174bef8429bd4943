import { describe, expect, it } from 'vitest';
import type { App } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { createNamedOrganization } from '#tests/support/app/named-organization.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { acceptInvitation } from '../../organizations/invitations/accept-invitation.ts';
import { inviteMember } from '../../organizations/invitations/invite-member.ts';
import type { UpstreamOrganization } from '../../organizations/upstream/apply-upstream-memberships.ts';
import { authenticateAccount } from '../accounts/authenticate-account.ts';
import { registerAccount } from '../accounts/register-account.ts';
import { getRegistrationTerms } from './admit-newcomer.ts';
import { deleteExpiredSignIns } from './delete-expired-sign-ins.ts';
import { signInUser } from './sign-in-user.ts';

const ISSUER = 'https://id.example.ca';
const PASSWORD = 'correct horse battery';
const closed = { code: 'registration_closed' };

const anonymous = (app: App) => ({
  app,
  actor: { kind: 'anonymous' } as const,
  requestId: 'r',
  address: '192.0.2.7',
});

const account = (login: string, domain = 'example.ca') => ({
  ...{ full_name: login, login, email: `${login}@${domain}`, password: PASSWORD },
});

const MAIL = { MAIL_URL: 'smtp://localhost:1', MAIL_FROM: 'portage@example.ca' };

describe('registration that is closed', () => {
  it('creates no account, and does not reveal which addresses have one', async () => {
    const app = await createTestApp({ environment: { REGISTRATION: 'closed' } });
    for (const token of [null, 'nonsense']) {
      await expect(registerAccount(anonymous(app), account('ada'), token)).rejects.toMatchObject(closed);
    }
    expect(await app.db.selectFrom('identity_accounts').selectAll().execute()).toEqual([]);
  });

  it('is the default of a console that others can reach', async () => {
    const app = await createTestApp({ environment: { PUBLIC_URL: 'https://console.example.ca' } });
    await expect(registerAccount(anonymous(app), account('ada'))).rejects.toMatchObject(closed);
  });
});

describe('registration by invitation', () => {
  async function withInvitation() {
    const app = await createTestApp({ environment: { REGISTRATION: 'invitation' } });
    const owner = await createTestPerson(app);
    const rivers = await createNamedOrganization(owner, { handle: 'rivers' });
    const { link } = await inviteMember(rivers, { permission: 'read' });
    return { app, token: link?.split('/').at(-1) ?? '' };
  }

  it('admits one account per open link', async () => {
    const { app, token } = await withInvitation();
    await expect(registerAccount(anonymous(app), account('ada'))).rejects.toMatchObject(closed);
    expect(await registerAccount(anonymous(app), account('ada'), token)).toMatchObject({
      awaitsVerification: false,
    });
    await expect(registerAccount(anonymous(app), account('eve'), token)).rejects.toMatchObject(closed);
    const same = registerAccount(anonymous(app), account('ada'), token);
    await expect(same).rejects.toMatchObject({ code: 'account_email_taken' });
  });

  it('is offered by the page to visitors with such a link, and to no one else', async () => {
    const { app, token } = await withInvitation();
    const terms = async (candidate: string | null) =>
      (await getRegistrationTerms(app, candidate)).is_possible;
    expect([await terms(token), await terms(null), await terms('nonsense')]).toEqual([true, false, false]);
  });

  it('admits no one by a link that was used or has expired', async () => {
    const { app, token } = await withInvitation();
    const late = await createTestPerson(app);
    await acceptInvitation(late.context, { token });
    await expect(registerAccount(anonymous(app), account('ada'), token)).rejects.toMatchObject(closed);
    const other = await withInvitation();
    other.app.clock.advance(400 * 86_400_000);
    const attempt = registerAccount(anonymous(other.app), account('ada'), other.token);
    await expect(attempt).rejects.toMatchObject(closed);
  });
});

describe('registration by the domain of an address', () => {
  it('creates an account that works once the link sent there was opened', async () => {
    const environment = { REGISTRATION: 'domain:example.ca', ...MAIL };
    const app = await createTestApp({ environment });
    for (const domain of ['sub.example.ca', 'example.ca.evil.example', 'badexample.ca']) {
      const stranger = registerAccount(anonymous(app), account('eve', domain));
      await expect(stranger).rejects.toMatchObject(closed);
    }
    const ada = account('ada', 'EXAMPLE.ca');
    expect(await registerAccount(anonymous(app), ada)).toMatchObject({ awaitsVerification: true });
    const enter = () => authenticateAccount(anonymous(app), ada);
    await expect(enter()).rejects.toMatchObject({ code: 'account_unverified' });
    const links = await app.db.selectFrom('identity_mail_links').select('purpose').execute();
    expect(links).toEqual([{ purpose: 'verify_email' }]);
    const mails = await app.db.selectFrom('outgoing_mails').select('recipient').execute();
    expect(mails).toHaveLength(2);
  });

  it('removes an account whose address nobody has confirmed after a week', async () => {
    const app = await createTestApp({ environment: { REGISTRATION: 'domain:example.ca', ...MAIL } });
    for (const login of ['ada', 'bob']) await registerAccount(anonymous(app), account(login));
    await app.db
      .updateTable('identity_accounts')
      .set({ awaits_verification: 0 })
      .where('login', '=', 'bob')
      .execute();
    const logins = async () => {
      await deleteExpiredSignIns(app);
      const rows = await app.db.selectFrom('identity_accounts').select('login').orderBy('login').execute();
      return rows.map(({ login }) => login);
    };
    app.clock.advance(7 * DAY_MS - 1);
    expect(await logins()).toEqual(['ada', 'bob']);
    app.clock.advance(1);
    expect(await logins()).toEqual(['bob']);
    expect(await registerAccount(anonymous(app), account('ada'))).toMatchObject({ awaitsVerification: true });
  });

  it('sends no more links than an hour allows, however often someone tries', async () => {
    const app = await createTestApp({ environment: { REGISTRATION: 'domain:example.ca', ...MAIL } });
    const ada = account('ada');
    await registerAccount(anonymous(app), ada);
    for (let n = 0; n < 9; n += 1) {
      await expect(authenticateAccount(anonymous(app), ada)).rejects.toMatchObject({
        code: 'account_unverified',
      });
    }
    expect(await app.db.selectFrom('outgoing_mails').select('id').execute()).toHaveLength(6);
  });
});

describe('a new person from an external issuer', () => {
  const group = (upstream_id: string): UpstreamOrganization => ({
    ...{ upstream_id, handle: null, name: upstream_id, description: null, website: null },
    ...{ location: null, avatar_url: null, permission: 'read' },
  });
  const grant = { accessToken: 'a', refreshToken: null, accessExpiresAt: null, groupsSource: null };

  async function arrive(
    REGISTRATION: string,
    options: { organizations?: UpstreamOrganization[] | null; isEmailProven?: boolean; email?: string },
  ) {
    const environment = { REGISTRATION, OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: 'portage' };
    const app = await createTestApp({ environment });
    const { organizations = [], isEmailProven = false, email = 'ada@example.ca' } = options;
    const identity = {
      issuer: ISSUER,
      subject: '7',
      login: 'ada',
      full_name: 'Ada',
      email,
      avatar_url: null,
    };
    const upstream = { organizations, grant, isEmailProven };
    const come = () => signInUser(anonymous(app), identity, async () => 'in', upstream);
    return { app, come };
  }

  it('is admitted by a group, and stays known when the group is lost', async () => {
    const { app, come } = await arrive('group:hosting', { organizations: [group('hosting')] });
    expect(await come()).toBe('in');
    await app.db.deleteFrom('memberships').execute();
    expect(await come()).toBe('in');
  });

  it('is refused without the group, and told to come back when the issuer did not say', async () => {
    const other = await arrive('group:hosting', { organizations: [group('Hosting')] });
    await expect(other.come()).rejects.toMatchObject(closed);
    expect(await other.app.db.selectFrom('users').selectAll().execute()).toEqual([]);
    const silent = await arrive('group:hosting', { organizations: null });
    await expect(silent.come()).rejects.toMatchObject({ code: 'sign_in_unavailable' });
  });

  it('is admitted by an address only when the issuer vouches for it', async () => {
    const vouched = await arrive('domain:example.ca', { isEmailProven: true });
    expect(await vouched.come()).toBe('in');
    const claimed = await arrive('domain:example.ca', {});
    await expect(claimed.come()).rejects.toMatchObject(closed);
    const elsewhere = await arrive('domain:example.ca', { isEmailProven: true, email: 'ada@rivers.example' });
    await expect(elsewhere.come()).rejects.toMatchObject(closed);
  });

  it('is anyone without the setting', async () => {
    const { come } = await arrive('', {});
    expect(await come()).toBe('in');
  });
});
