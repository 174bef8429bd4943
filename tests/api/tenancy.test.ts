import { describe, expect, it } from 'vitest';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { PERMISSIONS } from '#server/services/organizations/rules.ts';
import { packTar } from '#tests/support/pack-tar.ts';
import {
  callProcedure,
  callRoute,
  listProcedures,
  type SurfaceResponse,
} from '#tests/support/surfaces/call-surface.ts';
import {
  MISSING_CONTENT,
  MISSING_SHA256,
  type TenantIds,
} from '#tests/support/surfaces/fill-organization.ts';
import type { Example, RouteRequest } from '#tests/support/surfaces/surface-example.ts';
import { PROCEDURE_EXAMPLES, routeExamples } from '#tests/support/surfaces/surface-examples.ts';
import {
  type Asker,
  SECRET_WORD,
  STRANGERS_WORD,
  startTenancyWorld,
  type TenancyWorld,
} from '#tests/support/surfaces/tenancy-world.ts';
import { OPTIONAL_IDS, optionalIdsOfProcedure, optionalIdsOfRoute } from './optional-ids.ts';

/**
 * Sends an example with the ids of one tenant, inside an organization of a tenant (null: the caller's own).
 */
type Send = (
  world: TenancyWorld,
  asker: Asker,
  ids: TenantIds,
  tenant: TenantIds | null,
) => Promise<SurfaceResponse>;

interface Case {
  surface: 'tRPC' | 'REST';
  name: string;
  isChange: boolean;
  example: Example<unknown>;
  send: Send;
}

/** The organization of a tenant in which an example is valid. */
const placeOf = ({ place }: Example<unknown>, ids: TenantIds) => ids[place ?? 'organization'];

const nowhereIds = (ids: TenantIds) => ({ ...ids, organization: 'unknown', emptyOrganization: 'unknown' });

const archive = await packTar({ [MISSING_SHA256]: MISSING_CONTENT });
const procedures = listProcedures();
const procedureCases: Case[] = Object.entries(PROCEDURE_EXAMPLES).map(([name, example]) => {
  const isMutation = procedures.some((procedure) => procedure.name === name && procedure.isMutation);
  const send: Send = ({ baseUrl, ours, theirs }, asker, ids, tenant) => {
    const own = asker.cookie === theirs.owner.sessionCookie ? theirs.ids : ours.ids;
    const organization =
      example.audience === 'organization' ? { organization_id: placeOf(example, tenant ?? own) } : {};
    const input = { ...organization, ...example.request(ids) };
    return callProcedure(baseUrl, asker, { name, isMutation }, input);
  };
  return { surface: 'tRPC', name, isChange: isMutation, example, send };
});
const routes = routeExamples(archive);
const routeCases: Case[] = Object.entries(routes).map(([name, example]) => {
  const send: Send = ({ baseUrl }, asker, ids, tenant) =>
    callRoute(baseUrl, asker, name, example.request(ids), tenant && placeOf(example, tenant));
  const isChange = REST_ROUTES.some(({ id, method }) => id === name && method !== 'GET');
  return { surface: 'REST', name, isChange, example, send };
});

const nobody: Asker = {};

/** Returns the ids that the request of an example names, as it names them. */
function namedIn({ request }: Example<unknown>, ids: TenantIds): (keyof TenantIds)[] {
  const named = new Set<keyof TenantIds>();
  const noting = new Proxy(ids, {
    get: (target, name: keyof TenantIds) => {
      named.add(name);
      return target[name];
    },
  });
  // What is sent is made of it.
  JSON.stringify(request(noting));
  return [...named];
}

/**
 * Soft, so that one hole does not hide the next: the message names the procedure and the caller that got
 * through.
 */
function expectRefusal(response: SurfaceResponse, who: string, statuses: number[], codes?: string[]): void {
  expect.soft(statuses, `${who}: ${response.text}`).toContain(response.status);
  if (codes) expect.soft(codes, `${who}: ${response.text}`).toContain(response.code);
  expectNoLeak(response, who);
}

/** The names of the other tenant contain a word of their own; the refusal itself may name nothing of it. */
function expectForeignRefusal(response: SurfaceResponse, who: string, statuses: number[]): void {
  expect.soft(statuses, `${who}: ${response.text}`).toContain(response.status);
  expect.soft(response.text.toLowerCase(), `${who} reads a name`).not.toContain(STRANGERS_WORD);
}

function expectNoLeak(response: SurfaceResponse, who: string): void {
  expect.soft(response.text.toLowerCase(), `${who} reads a name`).not.toContain(SECRET_WORD);
}

function expectSuccess(response: SurfaceResponse, who: string): void {
  expect.soft(response.status, `${who}: ${response.text}`).toBeLessThan(400);
}

async function expectUnauthenticated({ name, send }: Case, world: TenancyWorld): Promise<void> {
  const { ids } = world.ours;
  const ask = (asker: Asker) => send(world, asker, ids, ids);
  expectRefusal(await ask(nobody), `${name} as nobody`, [401], ['unauthenticated']);
  for (const [how, asker] of Object.entries(world.invalidSessions)) {
    expectRefusal(await ask(asker), `${name} by a session that is ${how}`, [401], ['unauthenticated']);
  }
  for (const [how, asker] of Object.entries(world.invalidCredentials)) {
    expectRefusal(await ask(asker), `${name} by a credential: ${how}`, [401], ['credential_invalid']);
  }
}

/**
 * What the owner of another organization gets: our organization does not exist, and neither does anything in
 * it.
 */
async function expectStrangerRefused({ name, send, example }: Case, world: TenancyWorld): Promise<void> {
  const { ids } = world.ours;
  const { stranger, credentials } = world;
  if (example.audience === 'organization') {
    for (const asker of [stranger, credentials.foreign]) {
      const response = await send(world, asker, ids, ids);
      expectRefusal(response, `${name} as a stranger`, [404], ['organization_not_found']);
    }
  }
  if (example.isOpenToHolders) return;
  const within = await send(world, stranger, ids, null);
  if (!example.isNaming) {
    expectNoLeak(within, `${name} as a stranger`);
    return;
  }
  // A scope that names a foreign resource is an invalid field of the request; everything else is not found.
  const isScope = within.code === 'scope_resource_not_found';
  expectRefusal(within, `${name} as a stranger at home`, isScope ? [400] : [404]);
  if (example.audience !== 'organization') return;
  const elsewhere = await send(world, credentials.foreign, ids, world.theirs.ids);
  expectRefusal(elsewhere, `${name} by a foreign credential at home`, [403, 404]);
}

async function expectScopesHold({ name, send, example }: Case, world: TenancyWorld): Promise<void> {
  const { ids } = world.ours;
  const { outOfScope, withoutScopes, readOnly, inScope } = world.credentials;
  const ask = (asker: Asker) => send(world, asker, ids, ids);
  if (example.credential === 'filtered') {
    const [other, none] = [await ask(outOfScope), await ask(withoutScopes)];
    expectSuccess(other, name);
    expect.soft(other.text, `${name} shows what is out of scope`).not.toContain(ids.site);
    expectSuccess(none, name);
    expectNoLeak(none, `${name} by a credential without scopes`);
    return;
  }
  const refused = [403, 404];
  expectRefusal(await ask(outOfScope), `${name} by a credential out of scope`, refused);
  expectRefusal(await ask(withoutScopes), `${name} by a credential without scopes`, refused);
  if (example.credential === 'read scope') return;
  // Outside its own organization, a credential finds nothing.
  const seen = example.place ? [404] : [403];
  expectRefusal(await ask(readOnly), `${name} by a credential that only reads`, seen);
  if (example.credential === 'never') expectRefusal(await ask(inScope), `${name} by a credential`, seen);
}

async function expectWeakerMembersRefused({ name, send, example }: Case, world: TenancyWorld): Promise<void> {
  const { ids } = world.ours;
  for (const permission of PERMISSIONS.slice(0, PERMISSIONS.indexOf(example.needs))) {
    const response = await send(world, world.members[permission], ids, ids);
    expectRefusal(response, `${name} as a member who may ${permission}`, [403], ['permission_required']);
  }
}

/** What operators get on each surface, before any of them has changed something. */
async function expectOperatorsRefused({ surface, name, send, example }: Case, world: TenancyWorld) {
  const { ids } = world.ours;
  const ask = (asker: Asker) => send(world, asker, ids, ids);
  // Public routes ignore who calls.
  if (example.audience !== 'public' || surface === 'tRPC') {
    for (const [how, asker] of Object.entries(world.invalidOperators)) {
      expectRefusal(await ask(asker), `${name} by an operator token: ${how}`, [401], ['credential_invalid']);
    }
  }
  const { read, manage } = world.operators;
  const codes = ['operator_required', 'permission_required', 'person_required'];
  if (example.operator !== 'read')
    expectRefusal(await ask(read), `${name} by a token that reads`, [403], codes);
  if (example.operator === 'never') expectRefusal(await ask(manage), `${name} by an operator`, [403], codes);
  if (example.audience !== 'organization') return;
  const unknown = await send(world, manage, ids, nowhereIds(ids));
  expectRefusal(unknown, `${name} by an operator nowhere`, [404], ['organization_not_found']);
  if (surface === 'tRPC') return;
  const nowhere = await send(world, manage, ids, null);
  expectRefusal(nowhere, `${name} by an operator who names no organization`, [400], ['invalid_input']);
}

async function expectOperatorsOnly({ name, send }: Case, world: TenancyWorld): Promise<void> {
  const { ids } = world.ours;
  const ask = (asker: Asker) => send(world, asker, ids, null);
  const askers = { ...world.members, ...world.credentials, stranger: world.stranger };
  for (const [who, asker] of Object.entries(askers)) {
    expectRefusal(await ask(asker), `${name} by ${who}`, [403], ['operator_required']);
  }
}

describe.each([
  {
    surface: 'tRPC',
    names: procedures.map(({ name }) => name),
    rows: PROCEDURE_EXAMPLES,
    cases: procedureCases,
  },
  { surface: 'REST', names: REST_ROUTES.map(({ id }) => id), rows: routes, cases: routeCases },
])('tenancy of $surface', ({ names, rows, cases }) => {
  it('is tested completely: a new procedure or route needs an example', () => {
    expect(Object.keys(rows).sort()).toEqual([...names].sort());
  });

  const inside = cases.filter(({ example }) => example.audience === 'organization');
  it('admits no one from outside, for any request, and the weakest permitted member', async () => {
    const world = await startTenancyWorld();
    const { ids } = world.ours;
    for (const one of inside) {
      await expectUnauthenticated(one, world);
      await expectStrangerRefused(one, world);
      await expectScopesHold(one, world);
      await expectWeakerMembersRefused(one, world);
    }
    // After all refusals: the very same requests are valid, so nothing above was refused for its form.
    for (const { name, example, send } of inside) {
      const response = await send(world, world.members[example.needs], ids, ids);
      expectSuccess(response, `${name} as a member who may ${example.needs}`);
    }
  });

  it('finds no id of another tenant, in whatever place of a request that names others too', async () => {
    const world = await startTenancyWorld();
    const { ours, theirs } = world;
    const owner = { cookie: ours.owner.sessionCookie, origin: world.baseUrl };
    let checked = 0;
    for (const { name, send, example } of inside) {
      const named = namedIn(example, ours.ids);
      if (named.length < 2) continue;
      for (const one of named) {
        const mixed = { ...ours.ids, [one]: theirs.ids[one] };
        const response = await send(world, owner, mixed, ours.ids);
        const isScope = response.code === 'scope_resource_not_found';
        expectForeignRefusal(response, `${name} with the ${one} of another tenant`, isScope ? [400] : [404]);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(0);
  });

  it('admits credentials by their scopes and shows them nothing else', async () => {
    const world = await startTenancyWorld();
    const { ids } = world.ours;
    const { readOnly, inScope } = world.credentials;
    for (const { name, send, example } of inside) {
      if (example.credential === 'never') continue;
      const asker = example.credential === 'write scope' ? inScope : readOnly;
      const response = await send(world, asker, ids, ids);
      expectSuccess(response, `${name} by a credential in scope`);
      expect.soft(response.text, `${name} shows what is out of scope`).not.toContain(ids.otherSite);
    }
  });

  const personal = cases.filter(({ example }) => example.audience === 'person');
  it('reserves a person’s own data to that person', async () => {
    const world = await startTenancyWorld();
    const { ids, owner } = world.ours;
    for (const one of personal) {
      await expectUnauthenticated(one, world);
      await expectStrangerRefused(one, world);
      for (const asker of Object.values(world.credentials)) {
        const response = await one.send(world, asker, ids, ids);
        expectRefusal(response, `${one.name} by a credential`, [403], ['person_required']);
      }
    }
    const asker = { cookie: owner.sessionCookie, origin: world.baseUrl };
    for (const { name, send } of personal) expectSuccess(await send(world, asker, ids, null), name);
  });

  it('admits an operator as far as the token allows, in every organization and never as its owner', async () => {
    const world = await startTenancyWorld();
    const { ids } = world.ours;
    for (const one of cases) await expectOperatorsRefused(one, world);
    for (const { name, example, send } of cases) {
      if (example.operator === 'never') continue;
      const response = await send(world, world.operators[example.operator], ids, ids);
      expectSuccess(response, `${name} by an operator who may ${example.operator}`);
      // What is public is not reserved to operators.
      if (example.audience === 'public') continue;
      expect.soft(response.text, `${name} shows an operator a secret`).not.toMatch(/ptg(sk|op|cs)_\w{8}/);
    }
  });

  it('allows everything in a suspended organization to be read and only its billing changed, except by operators', async () => {
    const world = await startTenancyWorld();
    const { ids, owner } = world.ours;
    const suspended = { suspended_at: world.app.clock.now(), suspension_reason: 'unpaid' };
    await world.app.db.updateTable('organizations').set(suspended).execute();
    const asker = { cookie: owner.sessionCookie, origin: world.baseUrl };
    const { inScope } = world.credentials;
    // What a deploy reads on its way requires the permission to deploy; it belongs to neither group.
    for (const { name, example, send, isChange } of inside) {
      const response = await send(world, asker, ids, ids);
      if (isChange && !example.isOpenWhileSuspended) {
        expectRefusal(response, `${name} while suspended`, [403], ['organization_suspended']);
        if (example.credential !== 'write scope') continue;
        const byCredential = await send(world, inScope, ids, ids);
        expectRefusal(
          byCredential,
          `${name} by a credential while suspended`,
          [403],
          ['organization_suspended'],
        );
      } else if (example.needs !== 'write') expectSuccess(response, `${name} while suspended`);
    }
    for (const { name, example, send } of inside) {
      if (example.operator !== 'manage') continue;
      expectSuccess(
        await send(world, world.operators.manage, ids, ids),
        `${name} by an operator while suspended`,
      );
    }
  });

  it('reserves operators’ procedures to operators', async () => {
    const world = await startTenancyWorld();
    for (const one of cases.filter(({ example }) => example.audience === 'operator')) {
      await expectUnauthenticated(one, world);
      await expectOperatorsOnly(one, world);
    }
  });

  const open = cases.filter(({ example }) => example.audience === 'public');
  it('is public only with a stated reason', async () => {
    const world = await startTenancyWorld();
    const { ids } = world.ours;
    for (const { name, example, send } of open) {
      expect(example.why, name).toBeTruthy();
      const response = await send(world, nobody, ids, null);
      expectSuccess(response, name);
      // Whoever has the link of an invoice is to read it.
      if (!example.isOpenToHolders) expectNoLeak(response, `${name} as nobody`);
    }
  });
});

describe('an id or a cursor that a request may also name', () => {
  /** Sends another tenant's in every such field. */
  async function expectNothingForeign(
    theirs: TenantIds,
    name: string,
    fields: readonly string[],
    send: (foreign: Record<string, string>) => Promise<SurfaceResponse>,
  ): Promise<void> {
    for (const field of fields) {
      const known = OPTIONAL_IDS[name]?.[field];
      const isListed = known !== undefined || field === 'cursor';
      expect.soft(isListed, `${name}: neither an example nor OPTIONAL_IDS names its ${field}`).toBe(true);
      const response = await send({ [field]: theirs[known?.of ?? 'site'] });
      const statuses = known ? [known.status] : [200, 400];
      expectForeignRefusal(response, `${name} with the ${field} of another tenant`, statuses);
    }
  }

  it('leads to nothing of another tenant, in any procedure', async () => {
    const { ours, theirs, baseUrl } = await startTenancyWorld();
    const owner = { cookie: ours.owner.sessionCookie, origin: baseUrl };
    for (const { name, isMutation } of procedures) {
      const example = PROCEDURE_EXAMPLES[name];
      if (example?.audience !== 'organization') continue;
      const input = { organization_id: placeOf(example, ours.ids), ...example.request(ours.ids) };
      await expectNothingForeign(theirs.ids, name, optionalIdsOfProcedure(name, input), (foreign) =>
        callProcedure(baseUrl, owner, { name, isMutation }, { ...input, ...foreign }),
      );
    }
  });

  it('leads to nothing of another tenant, in any route', async () => {
    const { ours, theirs, baseUrl } = await startTenancyWorld();
    const owner = { cookie: ours.owner.sessionCookie, origin: baseUrl };
    for (const [name, example] of Object.entries(routes)) {
      if (example.audience !== 'organization') continue;
      const request = example.request(ours.ids);
      const { inQuery, inBody } = optionalIdsOfRoute(name, request);
      const send = (more: RouteRequest) =>
        callRoute(baseUrl, owner, name, { ...request, ...more }, placeOf(example, ours.ids));
      await expectNothingForeign(theirs.ids, name, inQuery, (foreign) =>
        send({ query: { ...request.query, ...foreign } }),
      );
      await expectNothingForeign(theirs.ids, name, inBody, (foreign) =>
        send({ json: { ...Object(request.json), ...foreign } }),
      );
    }
  });
});

describe('ids of two tenants in one request', () => {
  it('are not found, whichever of them is one’s own', async () => {
    const world = await startTenancyWorld();
    const { ours, theirs } = world;
    const { inScope } = world.credentials;
    const owner = { cookie: ours.owner.sessionCookie, origin: world.baseUrl };
    const perVersion = [
      'getVersion',
      'listVersionFiles',
      'downloadVersion',
      'listMissingBlobs',
      'cancelVersion',
    ];
    const mixes: [string, Asker, string, string][] = [
      ['our site, their version', owner, ours.ids.site, theirs.ids.currentVersion],
      ['their site, our version', owner, theirs.ids.site, ours.ids.currentVersion],
      ['our site, the version of another', owner, ours.ids.site, ours.ids.otherVersion],
      ['a credential of one site, the version of another', inScope, ours.ids.site, ours.ids.otherVersion],
      ['a credential of one site, their version', inScope, ours.ids.site, theirs.ids.currentVersion],
    ];
    for (const [what, asker, site_id, version_id] of mixes) {
      const params = { site_id, version_id };
      for (const id of [...perVersion, 'sealVersion']) {
        const response = await callRoute(world.baseUrl, asker, id, { params }, ours.ids.organization);
        expect([what, id, response.status], response.text).toEqual([what, id, 404]);
      }
      const blob = { params: { ...params, sha256: MISSING_SHA256 }, body: MISSING_CONTENT };
      expect((await callRoute(world.baseUrl, asker, 'uploadBlob', blob, ours.ids.organization)).status).toBe(
        404,
      );
      const back = { params, json: { version_id } };
      const rolledBack = await callRoute(world.baseUrl, asker, 'rollbackSite', back, ours.ids.organization);
      expect([what, rolledBack.status], rolledBack.text).toEqual([what, 404]);
    }
  });

  it('cannot add a foreign site to the scopes of a credential', async () => {
    const world = await startTenancyWorld();
    const { ours, theirs } = world;
    const owner = { cookie: ours.owner.sessionCookie, origin: world.baseUrl };
    const scopes = [{ resource_type: 'site', resource_id: theirs.ids.site, permissions: ['read', 'write'] }];
    const created = await callRoute(world.baseUrl, owner, 'createCredential', {
      json: { name: 'x', scopes },
    });
    expect([created.status, created.code]).toEqual([400, 'scope_resource_not_found']);
    const params = { credential_id: ours.ids.credential };
    const widened = await callRoute(world.baseUrl, owner, 'updateCredentialScopes', {
      params,
      json: { scopes },
    });
    expect([widened.status, widened.code]).toEqual([400, 'scope_resource_not_found']);
  });
});

describe('content that another organization has uploaded', () => {
  it('counts as missing, so that no one learns what others store or gets it by its hash alone', async () => {
    const world = await startTenancyWorld();
    const { ours, theirs } = world;
    const owner = { cookie: ours.owner.sessionCookie, origin: world.baseUrl };
    const mine = { params: { ...versionOf(ours.ids), sha256: MISSING_SHA256 }, body: MISSING_CONTENT };
    expect((await callRoute(world.baseUrl, owner, 'uploadBlob', mine)).status).toBe(200);
    const files = { 'index.html': { sha256: MISSING_SHA256, size: MISSING_CONTENT.length } };
    const params = { site_id: theirs.ids.site };
    const opened = await callRoute(world.baseUrl, world.stranger, 'openVersion', { params, json: { files } });
    const { id, missing } = JSON.parse(opened.text);
    expect(missing).toEqual([MISSING_SHA256]);
    const version = { params: { ...params, version_id: id } };
    const sealed = await callRoute(world.baseUrl, world.stranger, 'sealVersion', version);
    expect([sealed.status, sealed.code]).toEqual([409, 'version_incomplete']);
  });
});

function versionOf(ids: TenantIds) {
  return { site_id: ids.site, version_id: ids.incompleteVersion };
}
