import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRateLimits, replaceRateLimits } from '#server/rate-limits.ts';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { createCredential } from '#server/services/credentials/create-credential.ts';
import { openVersion } from '#server/services/deployments/open-version.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { startConsoleServer } from '#tests/support/console-server.ts';
import {
  credentialClient,
  objectOf,
  personClient,
  type RestClient,
  type RestOptions,
  restClient,
} from '#tests/support/rest-client.ts';
import { createTestPerson, joinOrganization } from '#tests/support/sign-in.ts';
import type { TestApp } from '#tests/support/test-app.ts';

const CONTENT = 'victim';
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const FILES = { 'index.html': { sha256: SHA256, size: CONTENT.length } };

/** What an outsider of the organization gets: no such thing, a list without it, or the refusal to write at all. */
type Outcome = 'hidden' | 'empty' | 'own';

interface Sample {
  /** For a person of another organization, working in their own. */
  stranger: Outcome;
  /** For a credential of the same organization without scopes. */
  unscoped: 'refused' | 'empty';
  request?: RestOptions | ((ids: Record<string, string>) => RestOptions);
}

const json = (value: unknown): RestOptions => ({ json: value });
const tar = { body: 'x', headers: { 'content-type': 'application/x-tar' } };
const refused: Sample = { stranger: 'hidden', unscoped: 'refused' };

/** A valid request for every route inside an organization. A route that is missing here fails the test. */
const SAMPLES: Record<string, Sample> = {
  listSites: { stranger: 'empty', unscoped: 'empty' },
  createSite: { stranger: 'own', unscoped: 'refused', request: json({ name: 'another' }) },
  getSite: refused,
  updateSite: { ...refused, request: json({ spa_fallback: true }) },
  deleteSite: refused,
  restoreSite: refused,
  listVersions: refused,
  openVersion: { ...refused, request: json({ files: FILES }) },
  deployArchive: { ...refused, request: tar },
  getVersion: refused,
  cancelVersion: refused,
  listMissingBlobs: refused,
  uploadBlob: { ...refused, request: { body: CONTENT } },
  uploadBlobBatch: { ...refused, request: tar },
  sealVersion: { ...refused, request: json({}) },
  listVersionFiles: refused,
  downloadVersion: refused,
  rollbackSite: { ...refused, request: ({ version_id }) => json({ version_id }) },
  listEndpoints: { stranger: 'empty', unscoped: 'empty' },
  listCredentials: { stranger: 'empty', unscoped: 'refused' },
  createCredential: { stranger: 'own', unscoped: 'refused', request: json({ name: 'another' }) },
  getCredential: refused,
  deleteCredential: refused,
  updateCredentialScopes: { ...refused, request: json({ scopes: [] }) },
};

/** Everything of the organization that a request could change. */
async function stateOf(app: TestApp, organizationId: string): Promise<unknown> {
  const inOrganization = [
    'sites',
    'site_versions',
    'cdn_endpoints',
    'organization_blobs',
    'audit_events',
  ] as const;
  const state = await Promise.all(
    inOrganization.map((table) =>
      app.db.selectFrom(table).selectAll().where('organization_id', '=', organizationId).execute(),
    ),
  );
  const credentials = await app.db
    .selectFrom('credentials')
    .select(['id', 'is_active', 'expires_at'])
    .where('organization_id', '=', organizationId)
    .execute();
  const scopes = await app.db
    .selectFrom('credential_scopes')
    .innerJoin('credentials', 'credentials.id', 'credential_scopes.credential_id')
    .selectAll('credential_scopes')
    .where('credentials.organization_id', '=', organizationId)
    .execute();
  return [state, credentials, scopes];
}

async function withVictim() {
  const { app, baseUrl } = await startConsoleServer();
  const owner = await createTestPerson(app);
  const stranger = await createTestPerson(app);
  const site = await createSite(owner.context, { name: 'victim' });
  const version = await openVersion(owner.context, { site_id: site.id, files: FILES });
  const scopes = [
    {
      resource_type: 'site' as const,
      resource_id: site.id,
      permissions: ['read' as const, 'write' as const],
    },
  ];
  const { credential } = await createCredential(owner.context, { name: 'victim', scopes });
  const ids: Record<string, string> = {
    site_id: site.id,
    version_id: version.id,
    credential_id: credential.id,
    sha256: SHA256,
  };
  const ask = async (client: RestClient, route: (typeof REST_ROUTES)[number]) => {
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'missing');
    const request = SAMPLES[route.id]?.request;
    return client(route.method, path, typeof request === 'function' ? request(ids) : request);
  };
  return { app, baseUrl, owner, stranger, site, scopes, ask };
}

const organizationRoutes = REST_ROUTES.filter((route) => route.audience === 'organization');

describe('tenancy of /api/v1', () => {
  it('has a row here for every route inside an organization', () => {
    expect(organizationRoutes.map((route) => route.id).sort()).toEqual(Object.keys(SAMPLES).sort());
  });

  it('refuses nobody and an expired credential everywhere', async () => {
    const { app, baseUrl, owner, scopes, ask } = await withVictim();
    const expiring = await createCredential(owner.context, {
      name: 'expiring',
      scopes,
      expires_at: '2026-03-01T12:00:01Z',
    });
    const bearer = `Bearer ${expiring.credential.public_key}:${expiring.secret_key}`;
    const expired = restClient(baseUrl, { authorization: bearer });
    expect((await expired('GET', '/api/v1/sites')).status).toBe(200);
    app.clock.advance(1000);
    replaceRateLimits(app, createRateLimits({ credential_failure_key: { points: 1000, seconds: 60 } }));
    const before = await stateOf(app, owner.organization.id);
    for (const route of REST_ROUTES.filter((each) => each.audience !== 'anybody')) {
      for (const client of [restClient(baseUrl), expired]) {
        expect([route.id, (await ask(client, route)).status]).toEqual([route.id, 401]);
      }
    }
    expect(await stateOf(app, owner.organization.id)).toEqual(before);
  });

  it('hides everything from a person and a credential of another organization', async () => {
    const { app, baseUrl, owner, stranger, ask } = await withVictim();
    const before = await stateOf(app, owner.organization.id);
    const foreignSite = await createSite(stranger.context, { name: 'elsewhere' });
    const credential = await credentialClient(baseUrl, stranger.context, [foreignSite.id]);
    const person = personClient(baseUrl, stranger);
    const trespasser = personClient(baseUrl, stranger, owner.organization.id);
    for (const route of organizationRoutes) {
      const named = await ask(trespasser, route);
      expect([route.id, named.status, objectOf(named).code]).toEqual([
        route.id,
        404,
        'organization_not_found',
      ]);
      const answer = await ask(person, route);
      const outcome = SAMPLES[route.id]?.stranger;
      expect([route.id, answer.status]).toEqual([
        route.id,
        outcome === 'hidden' ? 404 : outcome === 'own' ? 201 : 200,
      ]);
      expect(answer.text).not.toContain('victim');
      const byCredential = await ask(credential.client, route);
      expect([200, 403]).toContain(byCredential.status);
      expect(byCredential.text).not.toContain('victim');
    }
    expect(await stateOf(app, owner.organization.id)).toEqual(before);
  });

  it('refuses a credential without scopes, and shows it empty lists', async () => {
    const { app, baseUrl, owner, ask } = await withVictim();
    const { client } = await credentialClient(baseUrl, owner.context, []);
    await client('GET', '/api/v1/sites');
    const before = await stateOf(app, owner.organization.id);
    for (const route of organizationRoutes) {
      const answer = await ask(client, route);
      const isEmpty = SAMPLES[route.id]?.unscoped === 'empty';
      expect([route.id, answer.status]).toEqual([route.id, isEmpty ? 200 : 403]);
      if (isEmpty) expect(answer.text).toBe('[]');
    }
    expect(await stateOf(app, owner.organization.id)).toEqual(before);
  });

  it('lets a reader read and change nothing', async () => {
    const { app, baseUrl, owner, ask } = await withVictim();
    const reader = await createTestPerson(app);
    await joinOrganization(reader, owner.organization.id, 'read');
    const client = personClient(baseUrl, reader, owner.organization.id);
    const before = await stateOf(app, owner.organization.id);
    // Reading what an upload still misses is part of deploying.
    const isWrite = (route: (typeof REST_ROUTES)[number]) =>
      route.method !== 'GET' || route.id === 'listMissingBlobs';
    for (const route of organizationRoutes) {
      const { status } = await ask(client, route);
      // An open version has no archive yet: that is a conflict, not a refusal.
      const expected = isWrite(route) ? 403 : route.id === 'downloadVersion' ? 409 : 200;
      expect([route.id, status]).toEqual([route.id, expected]);
    }
    expect(await stateOf(app, owner.organization.id)).toEqual(before);
  });

  it('lets the owner through with the very same requests', async () => {
    for (const route of organizationRoutes) {
      const { baseUrl, owner, ask } = await withVictim();
      const { status } = await ask(personClient(baseUrl, owner), route);
      // What is refused here is refused for what is sent, not for who sends it.
      expect([route.id, [200, 201, 204, 400, 409].includes(status)]).toEqual([route.id, true]);
    }
  });
});
