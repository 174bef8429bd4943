import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSealer } from '#server/secrets/sealer.ts';
import { ChangeMarks } from '#server/services/serving/knowledge/change-marks.ts';
import { EdgeKnowledge } from '#server/services/serving/knowledge/edge-knowledge.ts';
import { KnowledgeFolder } from '#server/services/serving/knowledge/knowledge-folder.ts';
import {
  type Deployer,
  type DeploySite,
  registerDeployer,
  requireStatus,
} from '#tests/support/client/deploy-client.ts';
import { createSecureVisitor, type SecureVisitor } from '#tests/support/client/secure-visitor.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startPostgres } from '#tests/support/runner/postgres-server.ts';
import { childProcesses } from '#tests/support/server/child-processes.ts';
import { type DatabaseProxy, startDatabaseProxy } from '#tests/support/server/database-proxy.ts';
import { runOperator } from '#tests/support/server/run-operator.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

const EDGES = ['edge-1', 'edge-2'];
/** A custom hostname with a certificate of its own. */
const SHOP = 'shop.localhost';
/** New connections reach either edge. */
const VISITS = 12;

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: DatabaseProxy;
let server: TestServer;
let deployer: Deployer;
let visitor: SecureVisitor;
const sites = new Map<string, DeploySite>();

beforeAll(async () => {
  postgres = await startPostgres();
  database = await startDatabaseProxy(postgres.url);
  server = await startTestServer({ DATABASE_URL: database.url, PROCESSES: 'auto', EDGE_PROCESSES: '2' });
  deployer = await registerDeployer(server);
  for (const name of ['kept', 'suspended', 'deleted']) {
    const site = await deployer.createSite(name);
    await site.deploy({ 'index.html': `page of ${name}` });
    sites.set(name, site);
  }
  const json = { hostname: SHOP, origin_type: 'site', site_id: siteOf('kept').id };
  requireStatus(await deployer.person('POST', '/api/v1/cdn/endpoints', { json }), 201);
  const root = await fetch(`${server.consoleUrl}/api/v1/certificate-authority.pem`);
  visitor = await createSecureVisitor(Number(server.environment.EDGE_HTTPS_PORT), await root.text());
});

afterAll(async () => {
  await visitor?.close();
  await server?.close();
  await database?.close();
  await postgres?.stop();
});

function siteOf(name: string): DeploySite {
  const site = sites.get(name);
  if (site === undefined) throw new Error(`there is no site ${name}`);
  return site;
}

/** Returns the different answers to many visits, each on its own connection. */
async function seenAt(host: string): Promise<string[]> {
  const seen = new Set<string>();
  for (let visit = 0; visit < VISITS; visit += 1) {
    const { status, text } = await server.edge(host, '/', { headers: { connection: 'close' } });
    seen.add(status === 200 ? text : String(status));
  }
  return [...seen];
}

async function seenSecurelyAt(host: string): Promise<string[]> {
  const seen = new Set<string>();
  for (let visit = 0; visit < VISITS; visit += 1) seen.add(await visitor.fetch(host));
  return [...seen];
}

const readyEdges = () => server.output().match(/"role":"edge","address":[^\n]*"msg":"ready"/g)?.length ?? 0;

/** Ends an edge like a crash, and waits until another has taken its place. */
async function killEdge(name: string): Promise<void> {
  const before = readyEdges();
  process.kill(childProcesses(server.processId()).get(name) ?? 0, 'SIGKILL');
  await pollUntil(
    async () => readyEdges(),
    (count) => count > before,
  );
}

/** Opens the knowledge that an edge would recall now. */
async function openKnowledge(): Promise<EdgeKnowledge> {
  const key = Buffer.from((await readFile(join(server.dataDir, 'master.key'), 'utf8')).trim(), 'base64');
  const folder = new KnowledgeFolder(
    join(server.dataDir, 'edge-knowledge'),
    createSealer(key).deriveKey('edge knowledge'),
  );
  const parts = { folder, now: () => Date.now(), onError: () => undefined };
  const nothing = async () => null;
  const sources = { findHost: nothing, findCertificate: nothing, loadVersion: nothing };
  return new EdgeKnowledge({ ...parts, marks: new ChangeMarks(parts), sources });
}

/** Waits until the edges have learnt all that is to be served, after the last change. */
async function untilLearnt(): Promise<void> {
  const knowledge = await openKnowledge();
  const isLearnt = async () => {
    const hosts = await Promise.all([siteOf('kept').host, SHOP].map((host) => knowledge.recallHost(host)));
    const names = [siteOf('kept').host, SHOP];
    const certificates = await Promise.all(names.map((name) => knowledge.recallCertificate(name)));
    const [kept] = hosts;
    const versionId = kept?.kind === 'site' ? kept.versionId : null;
    const version = versionId === null ? null : await knowledge.recallVersion(versionId);
    return [...hosts, ...certificates, version].every((each) => each !== null);
  };
  // Both edges have polled the log of changes in between.
  for (let time = 1; time <= 2; time += 1) {
    await pollUntil(isLearnt, (learnt) => learnt);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  await knowledge.stop();
}

describe.each(['away', 'silent'] as const)('while the database is %s', (fault) => {
  it('edges that are killed serve what any of them knew, over HTTP and HTTPS, and nothing that was stopped', async () => {
    for (const name of [SHOP, siteOf('kept').host]) {
      await pollUntil(
        () => visitor.fetch(name).catch(() => ''),
        (page) => page !== '',
      );
    }
    for (const { host } of sites.values()) await server.edge(host, '/');
    await untilLearnt();
    if (fault === 'away') {
      const options = ['--reason', 'a test'];
      const { code } = await runOperator(['sites', 'suspend', 'suspended', ...options], server.environment);
      expect(code).toBe(0);
      requireStatus(await deployer.person('DELETE', siteOf('deleted').path), 204);
    }
    await untilLearnt();
    if (fault === 'away') await database.goAway();
    else database.isSilent = true;
    try {
      for (const name of EDGES) await killEdge(name);
      expect(await seenAt(siteOf('kept').host)).toEqual(['page of kept']);
      expect(await seenSecurelyAt(siteOf('kept').host)).toEqual(['page of kept']);
      expect(await seenSecurelyAt(SHOP)).toEqual(['page of kept']);
      expect(await seenAt(SHOP)).toEqual(['308']);
      expect(await seenAt(siteOf('suspended').host)).toEqual(['503']);
      expect(await seenAt(siteOf('deleted').host)).toEqual(['503']);
      expect(await seenAt('never-heard-of.sites.localhost')).toEqual(['503']);
    } finally {
      if (fault === 'away') await database.comeBack();
      else database.isSilent = false;
    }
    await pollUntil(
      () => fetch(`${server.consoleUrl}/readyz`).then(({ status }) => status),
      (status) => status === 200,
    );
    await pollUntil(
      () => seenAt(siteOf('deleted').host),
      (seen) => seen.length === 1 && seen[0] === '404',
    );
    await siteOf('kept').deploy({ 'index.html': 'page after it' });
    await pollUntil(
      () => seenAt(siteOf('kept').host),
      (seen) => seen.length === 1 && seen[0] === 'page after it',
    );
    await siteOf('kept').deploy({ 'index.html': 'page of kept' });
    await pollUntil(
      () => seenAt(siteOf('kept').host),
      (seen) => seen.length === 1 && seen[0] === 'page of kept',
    );
  });
});
