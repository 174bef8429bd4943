import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { packTar } from '#tests/support/pack-tar.ts';
import {
  callProcedure,
  callRoute,
  listProcedures,
  type ProcedureName,
  type SurfaceResponse,
} from '#tests/support/surfaces/call-surface.ts';
import {
  MISSING_CONTENT,
  MISSING_SHA256,
  type TenantIds,
} from '#tests/support/surfaces/fill-organization.ts';
import { PROCEDURE_EXAMPLES, routeExamples } from '#tests/support/surfaces/surface-examples.ts';
import { type Asker, startTenancyWorld, type TenancyWorld } from '#tests/support/surfaces/tenancy-world.ts';

/** The audit action of each mutation. */
const ACTIONS: Record<string, string> = {
  'abuse.report': 'abuse.report',
  'billing.addPaymentMethod': 'payment_method.add',
  'billing.createCustomer': 'billing.contact',
  'billing.createSetupIntent': 'payment_method.begin',
  'billing.removePaymentMethod': 'payment_method.remove',
  'billing.removeLimit': 'spending_limit.remove',
  'billing.setLimit': 'spending_limit.set',
  'billing.setDefaultPaymentMethod': 'payment_method.default',
  'billing.updateContact': 'billing.contact',
  'cdn.create': 'endpoint.create',
  'cdn.delete': 'endpoint.delete',
  'cdn.update': 'endpoint.update',
  'certificates.create': 'certificate.create',
  'certificates.issue': 'certificate.issue',
  'certificates.validate': 'certificate.validate',
  'credentials.create': 'credential.create',
  'credentials.delete': 'credential.delete',
  'credentials.updateScopes': 'credential.scopes',
  'deployments.addFiles': 'version.files',
  'deployments.cancel': 'version.cancel',
  'deployments.open': 'version.open',
  'deployments.rollback': 'site.rollback',
  'deployments.seal': 'version.seal',
  'operator.blockPerson': 'person.block',
  'operator.createAccount': 'account.create',
  'operator.deletePerson': 'person.delete',
  'operator.dismissAbuseReport': 'abuse.dismiss',
  'operator.resume': 'organization.resume',
  'operator.resumeSite': 'site.resume',
  'operator.setFeatures': 'organization.features',
  'operator.setLimits': 'organization.limits',
  'operator.setMember': 'member.set',
  'operator.signOutPerson': 'person.sign_out',
  'operator.suspend': 'organization.suspend',
  'operator.suspendSite': 'site.suspend',
  'operator.unblockPerson': 'person.unblock',
  'organizations.acceptInvitation': 'invitation.accept',
  'organizations.create': 'organization.create',
  'organizations.delete': 'organization.delete',
  'organizations.invite': 'invitation.create',
  'organizations.leave': 'member.leave',
  'organizations.removeMember': 'member.remove',
  'organizations.revokeInvitation': 'invitation.revoke',
  'organizations.setContext': 'organization.context',
  'organizations.update': 'organization.update',
  'organizations.updateMember': 'member.update',
  'sites.publishers.add': 'site.publisher_add',
  'sites.publishers.remove': 'site.publisher_remove',
  'sites.create': 'site.create',
  'sites.delete': 'site.delete',
  'sites.restore': 'site.restore',
  'sites.update': 'site.update',
  'webhooks.create': 'webhook.create',
  'webhooks.delete': 'webhook.delete',
  'webhooks.redeliver': 'webhook.redeliver',
  'webhooks.rotateSecret': 'webhook.rotate',
  'webhooks.test': 'webhook.test',
  'webhooks.update': 'webhook.update',
  'storage.abandonIdleUploads': 'bucket.abandon_uploads',
  'storage.abandonUpload': 'bucket.abandon_upload',
  'storage.createBucket': 'bucket.create',
  'storage.deleteBucket': 'bucket.delete',
  'storage.deleteObjects': 'bucket.remove_objects',
  'storage.emptyBucket': 'bucket.empty',
  'storage.shareObject': 'bucket.share_object',
  'storage.stopEmptyingBucket': 'bucket.empty_stop',
  'storage.updateBucket': 'bucket.update',
  'user.revokeSession': 'session.revoke',
  'user.updateSettings': 'user.settings',
};

/** What the tooling's routes record; sending content alone changes nothing visible. */
const ROUTE_ACTIONS: Record<string, string[]> = {
  updateSite: ['site.update'],
  openVersion: ['version.open'],
  deployArchive: ['version.open', 'version.seal'],
  addVersionFiles: ['version.files'],
  cancelVersion: ['version.cancel'],
  uploadBlob: [],
  uploadBlobBatch: [],
  sealVersion: ['version.seal'],
  rollbackSite: ['site.rollback'],
  createEndpoint: ['endpoint.create'],
  createSiteEndpoint: ['endpoint.create'],
  updateEndpoint: ['endpoint.update'],
  createBundle: ['certificate.create'],
  validateBundle: ['certificate.validate'],
  issueBundle: ['certificate.issue'],
  updateBucket: ['bucket.update'],
  abandonUpload: ['bucket.abandon_upload'],
  abandonIdleUploads: ['bucket.abandon_uploads'],
};

/** Invalid requests for procedures that an unknown id cannot make fail. */
const WRONG_INPUTS: Record<string, Record<string, unknown>> = {
  'abuse.report': { address: '' },
  'webhooks.create': { url: 'https://127.0.0.1/', events: ['deploy.published'] },
  'billing.createCustomer': { city: '' },
  'billing.createSetupIntent': { organization_id: 'unknown' },
  'billing.updateContact': { billing_email: 'nobody' },
  'operator.createAccount': { email: 'nobody' },
  'organizations.create': { name: '' },
  'organizations.delete': { organization_id: 'unknown' },
  'organizations.invite': { permission: 'none' },
  'organizations.leave': { organization_id: 'unknown' },
  'organizations.update': { name: '' },
  'sites.create': { name: '' },
  'storage.createBucket': { name: '' },
  'user.updateSettings': { language_preference: 'xx' },
};

const mutations = listProcedures().filter(({ isMutation }) => isMutation);
// In the order of the examples, in which each succeeds.
const ordered = Object.keys(PROCEDURE_EXAMPLES).flatMap((name) =>
  mutations.filter((mutation) => mutation.name === name),
);

function call(
  { baseUrl, ours }: TenancyWorld,
  asker: Asker,
  procedure: ProcedureName,
  ids: TenantIds,
  changes: Record<string, unknown> = {},
): Promise<SurfaceResponse> {
  const example = PROCEDURE_EXAMPLES[procedure.name];
  const isInside = example?.audience === 'organization';
  const organization = isInside ? { organization_id: ours.ids[example.place ?? 'organization'] } : {};
  return callProcedure(baseUrl, asker, procedure, { ...organization, ...example?.request(ids), ...changes });
}

function isForOperator({ name }: ProcedureName): boolean {
  return PROCEDURE_EXAMPLES[name]?.audience === 'operator';
}

function askerOf({ baseUrl, ours, operators }: TenancyWorld, procedure: ProcedureName): Asker {
  if (isForOperator(procedure)) return operators.manage;
  return { cookie: ours.owner.sessionCookie, origin: baseUrl };
}

function rowsSince({ app }: TenancyWorld, known: ReadonlySet<string>) {
  return app.db
    .selectFrom('audit_events')
    .selectAll()
    .orderBy('at')
    .orderBy('id')
    .execute()
    .then((rows) => rows.filter((row) => !known.has(row.id)));
}

async function idsOfRows(world: TenancyWorld): Promise<Set<string>> {
  return new Set((await rowsSince(world, new Set())).map((row) => row.id));
}

/** Everything in the database, to verify that nothing changed. */
async function snapshot({ app }: TenancyWorld): Promise<Record<string, object[]>> {
  const tables = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`.execute(app.db);
  const contents: Record<string, object[]> = {};
  for (const { name } of tables.rows) {
    const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(app.db);
    contents[name] = rows;
  }
  return contents;
}

/**
 * A snapshot without what no mutation's success determines: encodings are made before the seal and belong to
 * the content, whatever happens to the version; the results of a DNS inspection are facts; and an order is
 * stored before an authority is asked for anything, so that it can be resumed. The data of a payment provider
 * is its own.
 */
function changesOnly(contents: Record<string, object[]>): Record<string, object[]> {
  const { blobs: _, operator_tokens: _o, certificate_orders: _c, ...others } = contents;
  const { sandbox_objects: _s, sandbox_answers: _a, ...rest } = others;
  const bundles = rest.certificate_bundles?.map((row) => ({
    ...row,
    dns_checked_at: null,
    dns_report: null,
    next_check_at: null,
  }));
  return { ...rest, certificate_bundles: bundles ?? [] };
}

describe('the audit log', () => {
  it('covers every mutation', () => {
    expect(Object.keys(ACTIONS).sort()).toEqual(mutations.map(({ name }) => name).sort());
    const tooling = REST_ROUTES.filter(({ id, method }) => {
      const example = routeExamples(Buffer.alloc(0))[id];
      return method !== 'GET' && example?.credential === 'write scope';
    });
    expect(Object.keys(ROUTE_ACTIONS).sort()).toEqual(tooling.map(({ id }) => id).sort());
  });

  it('gets one row for each, with who, what, from where and in which request, and no secret', async () => {
    const world = await startTenancyWorld();
    const { ids, owner } = world.ours;
    for (const procedure of ordered) {
      const known = await idsOfRows(world);
      const response = await call(world, askerOf(world, procedure), procedure, ids);
      expect(response.status, `${procedure.name}: ${response.text}`).toBe(200);
      const rows = await rowsSince(world, known);
      expect(rows.map((row) => [procedure.name, row.action])).toEqual([
        [procedure.name, ACTIONS[procedure.name]],
      ]);
      const isPersonal = /^user\.|^abuse\.|AbuseReport$|Person$|Account$/.test(procedure.name);
      const isNew = procedure.name === 'organizations.create';
      const example = PROCEDURE_EXAMPLES[procedure.name];
      const place = isNew ? rows[0]?.resource_id : ids[example?.place ?? 'organization'];
      const { organization_id = place } = example?.request(ids) ?? {};
      const person = { actor_kind: 'person', actor_id: owner.user.id, actor_name: owner.user.login };
      const operator = { actor_kind: 'operator', actor_name: 'manage token' };
      expect(rows[0], procedure.name).toMatchObject({
        organization_id: isPersonal ? null : organization_id,
        ...(isForOperator(procedure) ? operator : person),
        request_id: response.requestId,
        at: world.app.clock.now(),
        address: expect.stringMatching(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/),
        resource_type: expect.stringMatching(/^[a-z]+$/),
        resource_id: expect.stringMatching(/./),
      });
      const written = JSON.stringify(rows);
      const token = owner.sessionCookie.split('=')[1] ?? '';
      expect(written, procedure.name).not.toMatch(/ptgsk_|secret|password/i);
      expect(written, procedure.name).not.toContain(token);
      expect(written, procedure.name).not.toContain(ids.invitationToken);
      const created =
        procedure.name === 'credentials.create' ? JSON.parse(response.text).result.data.json : null;
      if (created) expect(written).not.toContain(created.secret_key);
    }
  });

  it('names the credential that an external deploy used', async () => {
    const world = await startTenancyWorld();
    const { ids } = world.ours;
    const archive = await packTar({ [MISSING_SHA256]: MISSING_CONTENT });
    for (const [id, { request }] of Object.entries(routeExamples(archive))) {
      const actions = ROUTE_ACTIONS[id];
      if (!actions) continue;
      const known = await idsOfRows(world);
      const response = await callRoute(world.baseUrl, world.credentials.inScope, id, request(ids));
      expect(response.status, `${id}: ${response.text}`).toBeLessThan(300);
      const rows = await rowsSince(world, known);
      expect([id, ...rows.map((row) => row.action)]).toEqual([id, ...actions]);
      for (const row of rows) {
        expect(row).toMatchObject({
          organization_id: ids.organization,
          actor_kind: 'credential',
          actor_id: expect.stringMatching(/./),
          actor_name: 'CI',
          request_id: response.requestId,
          resource_id: row.resource_type === 'site' ? ids.site : expect.stringMatching(/./),
        });
      }
    }
  });

  it('gets nothing for refused requests, and nothing else changes either', async () => {
    const world = await startTenancyWorld();
    const { ids } = world.ours;
    const unknown = Object.fromEntries(
      Object.keys(ids).map((key) => [key, 'unknown']),
    ) as unknown as TenantIds;
    const before = await snapshot(world);
    for (const procedure of ordered) {
      const wrong = WRONG_INPUTS[procedure.name];
      const attempts = [
        await call(world, askerOf(world, procedure), procedure, wrong ? ids : unknown, wrong),
        ...(PROCEDURE_EXAMPLES[procedure.name]?.audience === 'public'
          ? []
          : [
              await call(world, {}, procedure, ids),
              await call(world, world.credentials.outOfScope, procedure, ids),
            ]),
      ];
      for (const response of attempts)
        expect(response.status, `${procedure.name}: ${response.text}`).toBeGreaterThan(399);
    }
    // When each was used last.
    const { credentials: _, operator_tokens: _o, ...rest } = await snapshot(world);
    const { credentials: __, operator_tokens: __o, ...expected } = before;
    expect(rest).toEqual(expected);
  });

  it('is written with the change or not at all: without the row, the change is undone', async () => {
    const world = await startTenancyWorld();
    const { ids } = world.ours;
    await sql`create trigger no_audit before insert on audit_events
      begin select raise(abort, 'the log is broken'); end`.execute(world.app.db);
    const before = await snapshot(world);
    for (const procedure of ordered) {
      const response = await call(world, askerOf(world, procedure), procedure, ids);
      expect([procedure.name, response.status, response.code]).toEqual([procedure.name, 500, 'internal']);
      expect(response.text).not.toContain('the log is broken');
    }
    expect(changesOnly(await snapshot(world))).toEqual(changesOnly(before));
  });
});
