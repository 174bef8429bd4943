import { createHash } from 'node:crypto';
import type { Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { RequestContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { findPersonalOrganizationId, findUserBySubject, type UserRow } from './queries.ts';

/** Who an OpenID Connect issuer says has signed in. `issuer` and `subject` name the account for ever. */
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
  /** The personal workspace, made at the first sign-in. */
  organizationId: string;
}

/**
 * Returns the person an issuer vouches for, with the profile as the issuer has it now and a personal workspace, both made
 * at the first sign-in; two first sign-ins at once make one of each. `openSession` runs in the same transaction, so that
 * the audit row and the session stand or fall together.
 */
export async function signInUser<T>(
  context: RequestContext,
  identity: SignedInIdentity,
  openSession: (trx: Trx, signedIn: SignedInUser) => Promise<T>,
): Promise<T> {
  return inTransaction(context.app.db, async (trx) => {
    const before = await findUserBySubject(trx, identity.issuer, identity.subject);
    const user = await upsertUser(trx, context, identity);
    const person = {
      kind: 'person',
      userId: user.id,
      login: user.login,
      sessionId: '',
      organizationId: null,
    } as const;
    const asPerson: RequestContext = { ...context, actor: person };
    if (!before) {
      await recordAudit(trx, asPerson, {
        action: 'user.create',
        resource_type: 'user',
        resource_id: user.id,
        organization_id: null,
        after: { issuer: user.issuer, subject: user.subject, login: user.login, email: user.email },
      });
    }
    const organizationId =
      (await findPersonalOrganizationId(trx, user.id)) ??
      (await createPersonalOrganization(trx, asPerson, user));
    await recordAudit(trx, asPerson, {
      action: 'user.sign_in',
      resource_type: 'user',
      resource_id: user.id,
      organization_id: null,
    });
    return openSession(trx, { user, organizationId });
  });
}

/** Writes the profile. The upsert locks the row, so that a second sign-in at once waits and finds the first one's work. */
async function upsertUser(trx: Trx, context: RequestContext, identity: SignedInIdentity): Promise<UserRow> {
  const now = context.app.clock.now();
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

async function createPersonalOrganization(trx: Trx, context: RequestContext, user: UserRow): Promise<string> {
  const { app } = context;
  const now = app.clock.now();
  const organization = {
    id: newId(now),
    external_id: await freeExternalId(trx, user),
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
  await recordAudit(trx, context, {
    action: 'organization.create',
    resource_type: 'organization',
    resource_id: organization.id,
    organization_id: organization.id,
    after: { external_id: organization.external_id, name: organization.name },
  });
  return organization.id;
}

/**
 * Returns `personal-{numeric id}`: the issuer's own numeric id where it has one. A subject that is no number, or a number
 * that a person of another issuer holds already, gets a number derived from both: a workspace is never shared by accident.
 */
async function freeExternalId(trx: Trx, user: UserRow): Promise<string> {
  if (/^[1-9]\d{0,14}$/.test(user.subject)) {
    const own = `personal-${user.subject}`;
    const holder = await trx
      .selectFrom('organizations')
      .select('id')
      .where('external_id', '=', own)
      .executeTakeFirst();
    if (!holder) return own;
  }
  const digest = createHash('sha256')
    .update(JSON.stringify([user.issuer, user.subject]))
    .digest();
  return `personal-${(digest.readBigUInt64BE() % 9_000_000_000_000_000_000n) + 1_000_000_000_000_000_000n}`;
}
