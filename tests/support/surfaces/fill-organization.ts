import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { reportAbuse } from '#server/services/abuse/report-abuse.ts';
import { suspendSite } from '#server/services/abuse/suspend-site.ts';
import { addPaymentMethod } from '#server/services/billing/customers/add-payment-method.ts';
import { createInvoiceLink } from '#server/services/billing/invoices/invoice-links.ts';
import { setSpendingLimit } from '#server/services/billing/spending/set-spending-limit.ts';
import { createEndpoint } from '#server/services/cdn/create-endpoint.ts';
import { createCredential } from '#server/services/credentials/create-credential.ts';
import { openVersion } from '#server/services/deployments/open-version.ts';
import { inviteMember } from '#server/services/organizations/invitations/invite-member.ts';
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
import { insertNamedOrganization, operatorContext } from '../app/operator-context.ts';
import { createTestPerson, type TestPerson } from '../app/test-person.ts';
import { enterCard, insertOpenInvoice, setUpBilling } from '../billing/billing.ts';
import { beginUpload, storeObject } from '../storage/buckets.ts';

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
/** The hash of the content that the incomplete version lacks. */
export const MISSING_SHA256 = sha256Of(MISSING_CONTENT);

/** Creates one of everything that a request can refer to, with the word in every name. */
export async function fillOrganization(person: TestPerson, word: string): Promise<TenantIds> {
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
