import { createSessions } from '#server/auth/sessions.ts';
import type { App, OrganizationContext, PersonActor, RequestContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { EMBEDDED_ISSUER } from '#server/services/identity/rules.ts';
import { type SignedInIdentity, signInUser } from '#server/services/identity/sign-in/sign-in-user.ts';
import { resolveOrganization } from '#server/services/organizations/resolve-organization.ts';
import type { Permission } from '#server/services/organizations/rules.ts';

export interface TestPerson {
  user: { id: string; login: string; full_name: string; email: string; issuer: string; subject: string };
  organization: { id: string; external_id: string; name: string };
  actor: PersonActor;
  /** Inside the person's own workspace, as its owner. */
  context: OrganizationContext;
  /** A whole Cookie header of a real session, e.g. `session=…`. */
  sessionCookie: string;
}

let nextSubject = 1;

/**
 * Returns a person who has signed in, with a workspace and a session, created by the same functions as over
 * HTTP.
 */
export async function createTestPerson(
  app: App,
  overrides: Partial<SignedInIdentity> = {},
): Promise<TestPerson> {
  const subject = overrides.subject ?? String(nextSubject++);
  const identity: SignedInIdentity = {
    issuer: EMBEDDED_ISSUER,
    subject,
    login: `person-${subject}`,
    full_name: `Person ${subject}`,
    email: `person-${subject}@example.ca`,
    avatar_url: null,
    ...overrides,
  };
  const anonymous: RequestContext = {
    app,
    actor: { kind: 'anonymous' },
    requestId: newId(),
    address: '192.0.2.1',
  };
  const sessions = createSessions(withIssuer(app, identity.issuer));
  const { user, cookie } = await signInUser(anonymous, identity, async (trx, signedIn) => {
    const session = {
      userId: signedIn.user.id,
      organizationId: null,
      address: '192.0.2.1',
      userAgent: 'test',
    };
    const opened = await sessions.create(trx, { ...session, identitySession: null });
    return { user: signedIn.user, cookie: opened.cookie };
  });
  const sessionCookie = cookie.split(';')[0] ?? '';
  const actor = await sessions.validate(sessionCookie);
  if (!actor) throw new Error('the session just made is not valid');
  const organization = await app.db
    .selectFrom('organizations')
    .innerJoin('memberships', 'memberships.organization_id', 'organizations.id')
    .select(['organizations.id', 'organizations.external_id', 'organizations.name'])
    .where('memberships.user_id', '=', user.id)
    .where('organizations.external_id', 'like', 'personal-%')
    .executeTakeFirstOrThrow();
  const context = await resolveOrganization({ ...anonymous, actor }, organization.id);
  return { user, organization, actor, context, sessionCookie };
}

/** Returns the app with this issuer as its identity service. */
export function withIssuer<T extends App>(app: T, issuer: string): T {
  const oidc = issuer === EMBEDDED_ISSUER ? null : { issuer, clientId: 'portage', clientSecret: null };
  return { ...app, config: { ...app.config, oidc } };
}

/** Adds a person to another person's organization and returns the person's context there. */
export async function joinOrganization(
  person: TestPerson,
  organizationId: string,
  permission: Permission,
): Promise<OrganizationContext> {
  const { app } = person.context;
  await app.db
    .insertInto('memberships')
    .values({
      organization_id: organizationId,
      user_id: person.user.id,
      permission,
      created_at: app.clock.now(),
    })
    .execute();
  return resolveOrganization({ ...person.context, actor: person.actor }, organizationId);
}
