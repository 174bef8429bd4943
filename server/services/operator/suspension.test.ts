import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { resolveOrganization } from '#server/services/organizations/resolve-organization.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { deployTestFiles, manifestOf, sha256Of, uploadTestVersion } from '#tests/support/app/deploy.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import {
  enterCard,
  insertOpenInvoice,
  SANDBOX_BILLING,
  setUpBilling,
} from '#tests/support/billing/billing.ts';
import { addPaymentMethod } from '../billing/customers/add-payment-method.ts';
import { setDefaultPaymentMethod } from '../billing/customers/set-default-payment-method.ts';
import { updateBillingContact } from '../billing/customers/update-billing-contact.ts';
import { createEndpoint } from '../cdn/create-endpoint.ts';
import { deleteEndpoint } from '../cdn/delete-endpoint.ts';
import { updateEndpoint } from '../cdn/update-endpoint.ts';
import { createCredential } from '../credentials/create-credential.ts';
import { deleteCredential } from '../credentials/delete-credential.ts';
import { listCredentials } from '../credentials/list-credentials.ts';
import { updateScopes } from '../credentials/update-scopes.ts';
import { uploadBlob } from '../deployments/blobs/upload-blob.ts';
import { listVersions } from '../deployments/list-versions.ts';
import { openVersion } from '../deployments/open-version.ts';
import { rollbackSite } from '../deployments/rollback-site.ts';
import { sealVersion } from '../deployments/seal-version.ts';
import { updateUserSettings } from '../identity/update-user-settings.ts';
import { createEdgePorts } from '../serving/edge-ports.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { getSite } from '../sites/get-site.ts';
import { restoreSite } from '../sites/restore-site.ts';
import { updateSite } from '../sites/update-site.ts';
import { resumeOrganization } from './resume-organization.ts';
import { suspendOrganization } from './suspend-organization.ts';

/**
 * An organization with a site of two versions and an open one, an endpoint at another site, and an operator.
 */
async function prepare() {
  const app = await createTestApp();
  const person = await createTestPerson(app);
  const { context } = person;
  const organization_id = person.organization.id;
  const site = await createSite(context, { name: 'blog' });
  const deleted = await createSite(context, { name: 'deleted' });
  await deleteSite(context, { site_id: deleted.id });
  const first = await deployTestFiles(context, site.id, { 'index.html': 'one' });
  await deployTestFiles(context, site.id, { 'index.html': 'two' });
  const open = await uploadTestVersion(context, site.id, { 'index.html': 'three' });
  const { credential } = await createCredential(context, { name: 'CI' });
  const other = await createSite(context, { name: 'other' });
  const endpoint = await createEndpoint(context, { hostname: 'www.example.ca', site_id: other.id });
  const operator = operatorContext(app);
  return {
    app,
    person,
    organization_id,
    operator,
    ids: {
      site: site.id,
      deleted: deleted.id,
      otherSite: other.id,
      endpoint: endpoint.id,
      first: first.version_id,
      open,
      credential: credential.id,
    },
    enter: (): Promise<OrganizationContext> => resolveOrganization(person.context, organization_id),
    suspend: (reason = 'unpaid') => suspendOrganization(operator, { organization_id, reason }),
    resume: () => resumeOrganization(operator, { organization_id }),
  };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

/** Everything that changes something in the organization. */
function changes(context: OrganizationContext, { ids }: Prepared): Record<string, () => Promise<unknown>> {
  const version = { site_id: ids.site, version_id: ids.open };
  const content = 'new';
  return {
    createSite: () => createSite(context, { name: 'another' }),
    updateSite: () => updateSite(context, { site_id: ids.site, spa_fallback: true }),
    restoreSite: () => restoreSite(context, { site_id: ids.deleted }),
    openVersion: () => openVersion(context, { site_id: ids.site, files: manifestOf({ 'a.html': content }) }),
    uploadBlob: () =>
      uploadBlob(context, { ...version, sha256: sha256Of('three') }, Readable.from(['three'])),
    sealVersion: () => sealVersion(context, version),
    rollbackSite: () => rollbackSite(context, { site_id: ids.site, version_id: ids.first }),
    createEndpoint: () =>
      createEndpoint(context, { hostname: `${newId()}.example.ca`, site_id: ids.otherSite }),
    updateEndpoint: () => updateEndpoint(context, { endpoint_id: ids.endpoint, hsts: 'day' }),
    deleteEndpoint: () => deleteEndpoint(context, { endpoint_id: ids.endpoint }),
    createCredential: () => createCredential(context, { name: 'x' }),
    updateScopes: () => updateScopes(context, { credential_id: ids.credential, scopes: [] }),
    deleteCredential: () => deleteCredential(context, { credential_id: ids.credential }),
    deleteSite: () => deleteSite(context, { site_id: ids.site }),
  };
}

describe('a suspended organization', () => {
  it('can be read but not changed by its owner or a credential, until it is resumed', async () => {
    const world = await prepare();
    expect(await world.suspend()).toMatchObject({
      suspended_at: '2026-03-01T12:00:00.000Z',
      suspension_reason: 'unpaid',
    });
    const context = await world.enter();
    expect(await getSite(context, { site_id: world.ids.site })).toMatchObject({ name: 'blog' });
    expect((await listVersions(context, { site_id: world.ids.site })).items).toHaveLength(3);
    expect(await listCredentials(context)).toHaveLength(1);
    for (const [name, change] of Object.entries(changes(context, world))) {
      await expect(change(), name).rejects.toMatchObject({ code: 'organization_suspended' });
    }
    const credential = credentialContext(context, [world.ids.site]);
    for (const name of ['openVersion', 'uploadBlob', 'sealVersion', 'rollbackSite', 'createEndpoint']) {
      const refused = changes(credential, world)[name]?.();
      await expect(refused, name).rejects.toMatchObject({ code: 'organization_suspended' });
    }
    expect(await world.resume()).toMatchObject({ suspended_at: null, suspension_reason: null });
    for (const [name, change] of Object.entries(changes(await world.enter(), world))) {
      await expect(change(), name).resolves.not.toThrow();
    }
  });

  it('can change its cards and contact, and an open invoice is charged to the new card', async () => {
    const app = await createTestApp({ environment: SANDBOX_BILLING });
    const person = await createTestPerson(app);
    const organization_id = person.organization.id;
    await setUpBilling(person.context);
    const invoiceId = await insertOpenInvoice(person.context);
    await suspendOrganization(operatorContext(app), { organization_id, reason: 'unpaid' });
    const context = await resolveOrganization(person.context, organization_id);
    const { payment_methods } = await addPaymentMethod(context, {
      setup_intent_id: await enterCard(context),
    });
    const [, added] = payment_methods;
    await setDefaultPaymentMethod(context, { payment_method_id: added?.id ?? '' });
    const { next_attempt_at } = await app.db
      .selectFrom('invoices')
      .select('next_attempt_at')
      .where('id', '=', invoiceId)
      .executeTakeFirstOrThrow();
    expect(next_attempt_at).toBe(app.clock.now());
    await updateBillingContact(context, { billing_email: 'books@example.ca' });
  });

  it('does not affect what belongs to a person', async () => {
    const { person, suspend } = await prepare();
    await suspend();
    const settings = updateUserSettings(person.context, { language_preference: 'fr-CA' });
    await expect(settings).resolves.toMatchObject({ language_preference: 'fr-CA' });
  });

  it('can be changed by operators with manage access', async () => {
    const world = await prepare();
    await world.suspend();
    const context = await resolveOrganization(world.operator, world.organization_id);
    const { updateSite: update, sealVersion: seal, rollbackSite: rollback } = changes(context, world);
    for (const change of [update, seal, rollback]) await expect(change?.()).resolves.toBeTruthy();
  });

  it('accepts nothing more from a deploy that was in progress when the suspension came', async () => {
    const world = await prepare();
    const begunBefore = await world.enter();
    await world.suspend();
    const { openVersion: open, sealVersion: seal, rollbackSite: rollback } = changes(begunBefore, world);
    for (const change of [open, seal, rollback]) {
      await expect(change?.()).rejects.toMatchObject({ code: 'organization_suspended' });
    }
    await world.resume();
    await expect(seal?.()).resolves.toMatchObject({ version_id: world.ids.open });
  });
});

describe('suspendOrganization and resumeOrganization', () => {
  it('tell the edges about every site and hostname, which stop serving it and then start again', async () => {
    const { app, ids, suspend, resume } = await prepare();
    const ports = createEdgePorts(app);
    const announced: unknown[] = [];
    app.edgeChanges.subscribe((change) => announced.push(change));
    const hosts = ['blog.sites.localhost', `${ids.first}--blog.sites.localhost`];
    const sites = [ids.site, ids.deleted, ids.otherSite]
      .sort()
      .map((site_id) => ({ site_id, hostname: null }));
    const endpoint = { site_id: null, hostname: 'www.example.ca' };
    for (const [change, isSuspended] of [
      [suspend, true],
      [resume, false],
    ] as const) {
      await change();
      expect(announced.splice(0)).toEqual([...sites, endpoint]);
      for (const host of hosts) expect(await ports.resolveHost(host)).toMatchObject({ isSuspended });
    }
  });

  it('are recorded with the reason where the customer sees it, and do nothing twice', async () => {
    const { app, person, organization_id, suspend, resume } = await prepare();
    const since = (await suspend('unpaid')).suspended_at;
    await suspend('unpaid');
    app.clock.advance(1000);
    expect(await suspend('phishing')).toMatchObject({ suspended_at: since, suspension_reason: 'phishing' });
    await resume();
    await resume();
    const rows = await auditRows(person.context, organization_id);
    const events = rows.filter(({ actor_kind }) => actor_kind === 'operator');
    expect(events.map(({ action, after }) => [action, after?.reason])).toEqual([
      ['organization.suspend', 'unpaid'],
      ['organization.suspend', 'phishing'],
      ['organization.resume', undefined],
    ]);
  });

  it('refuse a missing reason and an unknown organization', async () => {
    const { operator, suspend } = await prepare();
    await expect(suspend(' ')).rejects.toThrow(/reason/i);
    const unknown = { organization_id: 'unknown' };
    const refusal = { code: 'organization_not_found' };
    await expect(suspendOrganization(operator, { ...unknown, reason: 'x' })).rejects.toMatchObject(refusal);
    await expect(resumeOrganization(operator, unknown)).rejects.toMatchObject(refusal);
  });

  it('end in one state when two ask at the same time, each recorded once', async () => {
    const { app, organization_id, suspend } = await prepare();
    await Promise.all([suspend(), suspend(), suspend()]);
    const events = app.db
      .selectFrom('audit_events')
      .selectAll()
      .where('resource_id', '=', organization_id)
      .where('action', '=', 'organization.suspend');
    expect(await events.execute()).toHaveLength(1);
  });
});
