import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { reportAbuse } from '#server/services/abuse/report-abuse.ts';
import { suspendSite } from '#server/services/abuse/suspend-site.ts';
import { addPaymentMethod } from '#server/services/billing/customers/add-payment-method.ts';
import { createInvoiceLink } from '#server/services/billing/invoices/invoice-links.ts';
import { setSpendingLimit } from '#server/services/billing/spending/set-spending-limit.ts';
import { createEndpoint } from '#server/services/cdn/create-endpoint.ts';
import { createCredential } from '#server/services/credentials/create-credential.ts';
import { deleteCredential } from '#server/services/credentials/delete-credential.ts';
import { openVersion } from '#server/services/deployments/open-version.ts';
import { revokeOperatorToken } from '#server/services/operator/revoke-operator-token.ts';
import { inviteMember } from '#server/services/organizations/invitations/invite-member.ts';
import { PERMISSIONS, type Permission } from '#server/services/organizations/rules.ts';
import { addPublisher } from '#server/services/publishers/add-publisher.ts';
import { CODE_HOSTS } from '#server/services/publishers/rules.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { deleteSite } from '#server/services/sites/delete-site.ts';
import { createBucket } from '#server/services/storage/buckets/create-bucket.ts';
import { emptyBucket } from '#server/services/storage/buckets/empty-bucket.ts';
import { createWebhook } from '#server/services/webhooks/create-webhook.ts';
import { sendTestEvent } from '#server/services/webhooks/send-test-event.ts';
import { deployTestFiles, manifestOf, sha256Of, uploadTestVersion } from '../app/deploy.ts';
import { createMember, createNamedOrganization } from '../app/named-organization.ts';
import {
  createTestOperatorToken,
  insertNamedOrganization,
  operatorContext,
} from '../app/operator-context.ts';
import { createTestPerson, joinOrganization, type TestPerson } from '../app/test-person.ts';
import { enterCard, insertOpenInvoice, SANDBOX_BILLING, setUpBilling } from '../billing/billing.ts';
import { type ConsoleServer, startConsoleServer } from '../server/console-server.ts';
import { beginUpload, storeObject } from '../storage/buckets.ts';

/** Part of every name in the organization that must not leak. */
export const SECRET_WORD = 'zanzibar';
/** The same in the other one. */
export const STRANGERS_WORD = 'elsewhere';

/** The key of an object in each bucket. */
export const EXAMPLE_OBJECT = 'folder/example.txt';

/** What a request can refer to in an organization. */
export interface TenantIds {
  organization: string;
  /** A named organization without members, for what only operators do. */
  namedOrganization: string;
  /** Another, suspended. */
  suspendedOrganization: string;
  /** Of the owner. */
  login: string;
  /** A person with only their own workspace, for what operators do with people. */
  sparePerson: string;
  /** A person blocked by an operator. */
  blockedPerson: string;
  /**
   * Has two sealed versions, an open one that is complete and an open one that lacks a blob, and endpoints.
   */
  site: string;
  /** Has a version and an endpoint. */
  otherSite: string;
  /** Empty, so that it can be deleted. */
  spareSite: string;
  /** At a hostname of this machine, with a bundle that can be issued. */
  endpoint: string;
  bundle: string;
  /** From an earlier release. */
  endpointWithoutBundle: string;
  otherVersion: string;
  deletedSite: string;
  /** Suspended by an operator. */
  suspendedSite: string;
  /** About the first site, and open. */
  abuseReport: string;
  replacedVersion: string;
  currentVersion: string;
  completeVersion: string;
  /** Lacks the content `missing content`. */
  incompleteVersion: string;
  bucket: string;
  /** To that bucket, and not completed. */
  upload: string;
  /** Empty, so that it can be deleted. */
  otherBucket: string;
  credential: string;
  /** Of the first site; its repository is named like the site's organization. */
  publisher: string;
  publishingRepository: string;
  webhook: string;
  webhookMessage: string;
  /** A person with write permission who sends no requests. */
  member: string;
  invitation: string;
  /** Has the same owner and members, and is empty. */
  emptyOrganization: string;
  /** Another person's organization, with an invitation link and a public page. */
  invitingOrganization: string;
  invitationToken: string;
  publicHandle: string;
  /** The default card, and another. */
  paymentMethod: string;
  sparePaymentMethod: string;
  /** Of a card that was entered and not yet attached. */
  setup: string;
  /** An open one. */
  invoice: string;
  /** The token of a link to the invoice. */
  invoiceToken: string;
  /** Of the other site. */
  spendingLimit: string;
  /** A session of the owner, not the one that sends the request. */
  session: string;
}

export const MISSING_CONTENT = 'missing content';

/** Headers that identify the caller. */
export type Asker = Record<string, string>;

/** Two organizations that must know nothing about each other, and every possible caller. */
export interface TenancyWorld extends ConsoleServer {
  ours: { ids: TenantIds; owner: TestPerson };
  theirs: { ids: TenantIds; owner: TestPerson };
  /** Members of our organization by permission, as callers. */
  members: Record<Permission, Asker>;
  /** The owner of the other organization. */
  stranger: Asker;
  credentials: {
    /** Can read and write our site. */
    inScope: Asker;
    /** Can read our site, but not write. */
    readOnly: Asker;
    /** Can read and write only our other site. */
    outOfScope: Asker;
    withoutScopes: Asker;
    /** The other organization's own. */
    foreign: Asker;
  };
  /** Credentials for our site that no longer work, or never did. */
  invalidCredentials: Record<
    'expired' | 'deleted' | 'inactive' | 'wrong secret' | 'unknown key' | 'malformed',
    Asker
  >;
  /** Operators of the installation, by tokens. */
  operators: Record<'read' | 'manage', Asker>;
  /** Operator tokens that no longer work, or never did. */
  invalidOperators: Record<'revoked' | 'expired' | 'wrong' | 'in Basic' | 'without a scheme', Asker>;
  /** Ended sessions of one of our members. */
  invalidSessions: Record<'expired' | 'revoked' | 'forged', Asker>;
}

/** Starts a console with both organizations. Closed after the test. */
export async function startTenancyWorld(): Promise<TenancyWorld> {
  const server = await startConsoleServer({ environment: SANDBOX_BILLING });
  const { app, baseUrl } = server;
  // Refusals are the purpose of these worlds: they must not end in "too many requests".
  const generous = { points: 100_000, seconds: 60 };
  app.rateLimits = createRateLimits({
    credential_failure_key: generous,
    credential_failure_address: generous,
    operator_failure_address: generous,
  });
  // A token here is the name of a repository and a unique part.
  app.identityTokens = {
    check: async (token) => ({
      issuer: CODE_HOSTS[0].issuer,
      repository: token.split(' ')[0] ?? '',
      repositoryId: null,
      ref: 'refs/heads/main',
      environment: null,
      expiresAt: app.clock.now() + 60_000,
    }),
  };
  const asker = (person: TestPerson): Asker => ({ cookie: person.sessionCookie, origin: baseUrl });
  const owner = await createTestPerson(app, {
    full_name: `${SECRET_WORD} owner`,
    login: `${SECRET_WORD}-owner`,
  });
  const ours = { owner, ids: await fillOrganization(owner, SECRET_WORD) };
  const stranger = await createTestPerson(app);
  const theirs = { owner: stranger, ids: await fillOrganization(stranger, STRANGERS_WORD) };

  const joined = await Promise.all(
    PERMISSIONS.map(async (permission) => {
      const person = await createTestPerson(app);
      await joinOrganization(person, owner.organization.id, permission);
      await joinOrganization(person, ours.ids.emptyOrganization, permission);
      return [permission, asker(person)] as const;
    }),
  );
  const both = ['read', 'write'] as const;
  const credential = async (
    person: TestPerson,
    reached: { site: string; bucket: string } | null,
    permissions: readonly ('read' | 'write')[] = both,
  ) => {
    const scopes = (['site', 'bucket'] as const).flatMap((type) =>
      reached === null
        ? []
        : [{ resource_type: type, resource_id: reached[type], permissions: [...permissions] }],
    );
    const { credential, secret_key } = await createCredential(person.context, { name: 'CI', scopes });
    return { id: credential.id, publicKey: credential.public_key, secret: secret_key };
  };
  const bearer = ({ publicKey, secret }: { publicKey: string; secret: string }): Asker => ({
    authorization: `Bearer ${publicKey}:${secret}`,
  });
  const token = (value: string): Asker => ({ authorization: `Bearer ${value}` });
  const mine = ours.ids;
  const expired = await credential(owner, mine);
  const expiry = app.db.updateTable('credentials').set({ expires_at: app.clock.now() - 1 });
  await expiry.where('id', '=', expired.id).execute();
  const inactive = await credential(owner, mine);
  await app.db.updateTable('credentials').set({ is_active: 0 }).where('id', '=', inactive.id).execute();
  const deleted = await credential(owner, mine);
  await deleteCredential(owner.context, { credential_id: deleted.id });
  const good = await credential(owner, mine);

  return {
    ...server,
    ours,
    theirs,
    // Every permission was granted to a person just above.
    members: Object.fromEntries(joined) as Record<Permission, Asker>,
    stranger: asker(stranger),
    credentials: {
      inScope: bearer(good),
      readOnly: bearer(await credential(owner, mine, ['read'])),
      outOfScope: bearer(await credential(owner, { site: mine.otherSite, bucket: mine.otherBucket })),
      withoutScopes: bearer(await credential(owner, null)),
      foreign: bearer(await credential(stranger, theirs.ids)),
    },
    invalidCredentials: {
      expired: bearer(expired),
      deleted: bearer(deleted),
      inactive: bearer(inactive),
      'wrong secret': bearer({ ...good, secret: expired.secret }),
      'unknown key': bearer({ publicKey: 'ptgpk_00000000000000000000', secret: good.secret }),
      malformed: { authorization: 'Bearer nonsense' },
    },
    operators: {
      read: token((await createTestOperatorToken(app, 'read')).token),
      manage: token((await createTestOperatorToken(app, 'manage')).token),
    },
    invalidOperators: await endedOperatorTokens(app),
    invalidSessions: {
      expired: await endedSession(server, owner.organization.id, 'expired'),
      revoked: await endedSession(server, owner.organization.id, 'revoked'),
      forged: { cookie: `${owner.sessionCookie.slice(0, -4)}AAAA`, origin: baseUrl },
    },
  };
}

/** Returns operator tokens that used to have manage access, and valid ones in invalid forms. */
async function endedOperatorTokens(app: App): Promise<TenancyWorld['invalidOperators']> {
  const [revoked, expired, good] = await Promise.all(
    ['revoked', 'expired', 'good'].map((name) => createTestOperatorToken(app, 'manage', name)),
  );
  if (!revoked || !expired || !good) throw new Error('there are three tokens');
  await revokeOperatorToken(operatorContext(app), { token_id: revoked.id });
  const past = app.db.updateTable('operator_tokens').set({ expires_at: app.clock.now() - 1 });
  await past.where('id', '=', expired.id).execute();
  return {
    revoked: { authorization: `Bearer ${revoked.token}` },
    expired: { authorization: `Bearer ${expired.token}` },
    wrong: { authorization: `Bearer ${good.token.slice(0, -1)}` },
    'in Basic': { authorization: `Basic ${Buffer.from(`${good.token}:`).toString('base64')}` },
    'without a scheme': { authorization: good.token },
  };
}

/** Returns the cookie of a member whose session has ended. */
async function endedSession(
  { app, baseUrl }: ConsoleServer,
  organizationId: string,
  how: 'expired' | 'revoked',
): Promise<Asker> {
  const person = await createTestPerson(app);
  await joinOrganization(person, organizationId, 'owner');
  if (how === 'revoked') {
    await app.db.deleteFrom('sessions').where('user_id', '=', person.user.id).execute();
  } else {
    const past = { expires_at: app.clock.now() - 1 };
    await app.db.updateTable('sessions').set(past).where('user_id', '=', person.user.id).execute();
  }
  return { cookie: person.sessionCookie, origin: baseUrl };
}

/** Creates one of everything that a request can refer to, with the word in every name. */
async function fillOrganization(person: TestPerson, word: string): Promise<TenantIds> {
  const { context, organization, user, actor } = person;
  const { app } = context;
  await nameOrganization(app, organization.id, word);
  const member = await createMember(context, 'write', { full_name: `${word} member` });
  const invitation = await inviteMember(context, { permission: 'read', email: `${word}@example.ca` });
  // Sorted after the other one, which is the default of a session without a stored organization.
  const empty = await createNamedOrganization(person, { name: `zz ${word} empty` });
  const publicHandle = `public-${newId()}`;
  const inviting = await createNamedOrganization(await createTestPerson(app), { handle: publicHandle });
  const invited = await inviteMember(inviting, { permission: 'read' });
  await setUpBilling(context, { contact: { name: `${word} owner` } });
  const billed = await addPaymentMethod(context, { setup_intent_id: await enterCard(context) });
  const [card, spareCard] = billed.payment_methods;
  const site = await createSite(context, { name: `${word} one` });
  const otherSite = await createSite(context, { name: `${word} two` });
  const [limit] = await setSpendingLimit(context, {
    scope: 'site',
    resource_id: otherSite.id,
    amount_cents: 100_000,
    action: 'stop',
  });
  const sparePerson = await createTestPerson(context.app, { full_name: `${word} spare` });
  const blockedPerson = await createTestPerson(context.app, { full_name: `${word} blocked` });
  await context.app.db
    .updateTable('users')
    .set({ blocked_at: 1, blocked_reason: `${word} left` })
    .where('id', '=', blockedPerson.user.id)
    .execute();
  const spareSite = await createSite(context, { name: `${word} spare` });
  const deletedSite = await createSite(context, { name: `${word} three` });
  await deleteSite(context, { site_id: deletedSite.id });
  const suspendedSite = await createSite(context, { name: `${word} suspended` });
  const suspension = { site_id: suspendedSite.id, reason: `${word} reason` };
  await suspendSite(operatorContext(app), suspension);
  const abuseReport = await reportAbuse(context, {
    address: site.subdomain_url,
    kind: 'spam',
    description: `${word} description`,
  });
  const first = await deployTestFiles(context, site.id, { [`${word}.html`]: `${word} 1` });
  const second = await deployTestFiles(context, site.id, { [`${word}.html`]: `${word} 2` });
  await app.db
    .updateTable('site_pictures')
    .set({ kind: 'icon', media_type: 'image/png', content: Buffer.from(word).toString('base64') })
    .where('site_id', '=', site.id)
    .execute();
  const other = await deployTestFiles(context, otherSite.id, { [`${word}.html`]: `${word} other` });
  const completeVersion = await uploadTestVersion(context, site.id, { [`${word}.html`]: `${word} 3` });
  const incomplete = await openVersion(context, {
    site_id: site.id,
    message: `${word} message`,
    files: manifestOf({ [`${word}.txt`]: MISSING_CONTENT }),
  });
  const bucket = await createBucket(context, { name: `${word}-bucket` });
  const otherBucket = await createBucket(context, { name: `${word}-other-bucket` });
  await emptyBucket(context, { bucket_id: otherBucket.id });
  await storeObject(app, { bucketName: bucket.name, key: EXAMPLE_OBJECT, content: `${word} content` });
  const upload = await beginUpload(app, bucket.name, { key: `${word}.bin`, parts: [word] });
  // Another has been idle for longer than a day.
  const { id: idle } = await beginUpload(app, bucket.name, { key: `${word}.old`, parts: [] });
  await app.db.updateTable('object_uploads').set({ created_at: 1 }).where('id', '=', idle).execute();
  const { credential } = await createCredential(context, { name: `${word} CI` });
  const publisher = await addPublisher(context, {
    site_id: site.id,
    issuer: CODE_HOSTS[0].issuer,
    repository: `${word}/site`,
  });
  const { webhook } = await createWebhook(context, {
    url: `https://203.0.114.1/${word}`,
    events: ['deploy.published'],
  });
  const webhookMessage = await sendTestEvent(context, { webhook_id: webhook.id });
  const endpoint = await createEndpoint(context, { hostname: `${word}.localhost`, site_id: site.id });
  const bare = await createEndpoint(context, { hostname: `bare.${word}.localhost`, site_id: site.id });
  await app.db.deleteFrom('certificate_bundles').where('endpoint_id', '=', bare.id).execute();
  await createEndpoint(context, { hostname: `www.${word}.example.ca`, site_id: otherSite.id });
  const invoice = await insertOpenInvoice(context);
  const { link } = await inTransaction(app.db, (trx) =>
    createInvoiceLink(trx, app, { id: invoice, organization_id: context.organization.id }),
  );
  return {
    organization: organization.id,
    namedOrganization: await insertNamedOrganization(app, { name: `${word} together` }),
    suspendedOrganization: await insertNamedOrganization(app, { suspended_at: app.clock.now() }),
    login: user.login,
    sparePerson: sparePerson.user.id,
    blockedPerson: blockedPerson.user.id,
    site: site.id,
    otherSite: otherSite.id,
    spareSite: spareSite.id,
    endpoint: endpoint.id,
    bundle: endpoint.bundle?.id ?? '',
    endpointWithoutBundle: bare.id,
    otherVersion: other.version_id,
    deletedSite: deletedSite.id,
    suspendedSite: suspendedSite.id,
    abuseReport: abuseReport.id,
    replacedVersion: first.version_id,
    currentVersion: second.version_id,
    completeVersion,
    incompleteVersion: incomplete.id,
    bucket: bucket.id,
    upload: upload.id,
    otherBucket: otherBucket.id,
    credential: credential.id,
    publisher: publisher.id,
    webhook: webhook.id,
    webhookMessage: webhookMessage.id,
    publishingRepository: publisher.repository,
    member: member.person.user.id,
    invitation: invitation.id,
    emptyOrganization: empty.organization.id,
    invitingOrganization: inviting.organization.id,
    invitationToken: invited.link?.split('/').at(-1) ?? '',
    publicHandle,
    paymentMethod: card?.id ?? '',
    sparePaymentMethod: spareCard?.id ?? '',
    setup: await enterCard(context),
    invoice,
    invoiceToken: link.split('#')[1] ?? '',
    spendingLimit: limit?.id ?? '',
    session: await addSession(context.app, user.id, actor.sessionId),
  };
}

/**
 * Turns a person's workspace into a named organization, so that the person's context in it has members and
 * invitations.
 */
async function nameOrganization(app: App, id: string, word: string): Promise<void> {
  const named = { external_id: `org-${word}`, issuer: 'embedded', upstream_id: word, handle: word };
  await app.db.updateTable('organizations').set(named).where('id', '=', id).execute();
}

/** Copies a session under another id: the same person on another machine. */
async function addSession(app: App, userId: string, sessionId: string): Promise<string> {
  const row = await app.db
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  const id = newId();
  await app.db
    .insertInto('sessions')
    .values({ ...row, id, identity_session: null })
    .execute();
  return id;
}

/** The hash of the content that the incomplete version lacks. */
export const MISSING_SHA256 = sha256Of(MISSING_CONTENT);
