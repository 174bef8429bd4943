import type { Trx } from '#db/client.ts';
import type { App, RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import {
  applyUpstreamMemberships,
  type UpstreamOrganization,
} from '../../organizations/upstream/apply-upstream-memberships.ts';
import { freeExternalId } from '../../organizations/upstream/upstream-external-id.ts';
import { inUnitOfWork, type UnitOfWork } from '../../shared/unit-of-work.ts';
import { findPersonalOrganizationId, findUserBySubject, type UserRow } from '../queries.ts';
import { admitNewcomer } from './admit-newcomer.ts';
import { keepSignInGrant, type SignInGrant } from './sign-in-grants.ts';

/**
 * Who has signed in according to an OpenID Connect issuer. `issuer` and `subject` identify the account
 * permanently.
 */
export interface SignedInIdentity {
  issuer: string;
  subject: string;
  login: string;
  full_name: string;
  email: string;
  avatar_url: string | null;
}

export interface SignedInUser {
  user: UserRow;
  /** The personal workspace, created at the first sign-in. */
  organizationId: string;
}

/** What an external issuer returned and granted besides the identity. */
export interface UpstreamSignIn {
  /** Null when the issuer could not be asked: what was known before stays. */
  organizations: UpstreamOrganization[] | null;
  grant: SignInGrant;
  /** Whether the issuer confirms that the email address is the person's. */
  isEmailProven: boolean;
}

/**
 * Returns the person an issuer vouches for, with the issuer's current profile and a personal workspace, both
 * created at the first sign-in; two concurrent first sign-ins create one of each. With an external issuer,
 * the memberships follow it, its grant is stored, and the setting REGISTRATION decides about new people;
 * local accounts were admitted when they were created. `openSession` runs in the same transaction, so that
 * everything including the session succeeds or fails together.
 * @throws registration_closed, account_blocked, sign_in_unavailable
 */
export async function signInUser<T>(
  context: RequestContext,
  identity: SignedInIdentity,
  openSession: (trx: Trx, signedIn: SignedInUser) => Promise<T>,
  upstream: UpstreamSignIn | null = null,
  invitationToken: string | null = null,
): Promise<T> {
  return inUnitOfWork(context, async (unit) => {
    const { trx } = unit;
    const before = await findUserBySubject(trx, identity.issuer, identity.subject);
    if (!before && upstream) {
      const { organizations, isEmailProven } = upstream;
      const groups = organizations?.map(({ handle, upstream_id }) => handle ?? upstream_id) ?? null;
      const { email } = identity;
      await admitNewcomer(trx, context.app, { email, isEmailProven, groups, invitationToken });
    }
    const user = await upsertUser(unit, identity);
    if (user.blocked_at !== null) throw new AppError('account_blocked');
    const person = {
      kind: 'person',
      userId: user.id,
      login: user.login,
      sessionId: '',
      organizationId: null,
    } as const;
    const asPerson = unit.by({ ...context, actor: person });
    if (!before) {
      await asPerson.audit({
        action: 'user.create',
        resource_type: 'user',
        resource_id: user.id,
        organization_id: null,
        after: { issuer: user.issuer, subject: user.subject, login: user.login, email: user.email },
      });
    }
    const organizationId =
      (await findPersonalOrganizationId(trx, user.id)) ??
      (await createPersonalOrganization(asPerson, context.app, user));
    if (upstream) await followUpstream(unit, context, user, upstream);
    await asPerson.audit({
      action: 'user.sign_in',
      resource_type: 'user',
      resource_id: user.id,
      organization_id: null,
    });
    return openSession(trx, { user, organizationId });
  });
}

/**
 * Writes the profile. The upsert locks the row, so that a second concurrent sign-in waits and finds the first
 * one's result.
 */
async function upsertUser({ trx, now }: UnitOfWork, identity: SignedInIdentity): Promise<UserRow> {
  const { issuer, subject, ...profile } = identity;
  return trx
    .insertInto('users')
    .values({
      id: newId(now),
      issuer,
      subject,
      ...profile,
      language_preference: null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['issuer', 'subject']).doUpdateSet({ ...profile, updated_at: now }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function followUpstream(
  unit: UnitOfWork,
  context: RequestContext,
  user: UserRow,
  { organizations, grant }: UpstreamSignIn,
): Promise<void> {
  const { trx, now } = unit;
  await keepSignInGrant(trx, context.app, user.id, grant);
  if (organizations)
    await applyUpstreamMemberships(unit, context, { user, issuer: user.issuer, organizations });
  await trx
    .updateTable('users')
    .set({ memberships_attempted_at: now, ...(organizations ? { memberships_synced_at: now } : {}) })
    .where('id', '=', user.id)
    .execute();
}

async function createPersonalOrganization(
  { trx, now, audit }: UnitOfWork,
  app: App,
  user: UserRow,
): Promise<string> {
  const organization = {
    id: newId(now),
    external_id: await freeExternalId(trx, 'personal', { issuer: user.issuer, id: user.subject }),
    name: user.full_name,
    description: null,
    website: null,
    location: null,
    avatar_url: user.avatar_url,
    features: JSON.stringify(app.config.defaultFeatures),
    created_at: now,
    updated_at: now,
  };
  await trx.insertInto('organizations').values(organization).execute();
  await trx
    .insertInto('memberships')
    .values({ organization_id: organization.id, user_id: user.id, permission: 'owner', created_at: now })
    .execute();
  await audit({
    action: 'organization.create',
    resource_type: 'organization',
    resource_id: organization.id,
    organization_id: organization.id,
    after: { external_id: organization.external_id, name: organization.name },
  });
  return organization.id;
}
