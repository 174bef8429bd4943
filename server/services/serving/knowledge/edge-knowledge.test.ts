import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '#server/durations.ts';
import { Manifest } from '#server/edge/manifest.ts';
import type { EdgeVersion } from '#server/edge/ports.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import type { SealedCertificate } from '../find-edge-certificate.ts';
import type { KnownHost, KnownRedirectHost, KnownSiteHost } from '../known-host.ts';
import { ChangeMarks } from './change-marks.ts';
import { EdgeKnowledge } from './edge-knowledge.ts';
import { KnowledgeFolder } from './knowledge-folder.ts';

const base = {
  organizationId: 'o',
  endpointId: null,
  certificateUntil: null,
  strictTransportSeconds: 0,
  isSuspended: false,
  isOverLimit: false,
  isMetered: true,
};
const site: KnownSiteHost = { ...base, kind: 'site', siteId: 's', versionId: 'v1', spaFallback: false };
const redirect: KnownRedirectHost = { ...base, kind: 'redirect', target: 'https://example.ca' };
const certificate: SealedCertificate = {
  ...{ bundleId: 'b', serialNumber: '1', chain: 'chain', privateKeySealed: 'v1.sealed' },
};
const file = { sha256: 'abc', size: 3, contentType: 'text/plain', brotliSize: 2, gzipSize: null };

function version(id: string, copiesAfter: string | null = null): EdgeVersion {
  const files = Manifest.of([
    ['index.html', file],
    ['é\n.txt', file],
  ]);
  const redirects = [{ from: '/a', to: '/b', status: 302 }] as unknown as EdgeVersion['redirects'];
  return { id, sealedAt: 5, files, copiesAfter, rulesId: 'r', redirects, headers: [] };
}

/** A machine whose edges share a folder, and a database of hosts, certificates and versions. */
async function prepare() {
  const root = await makeTemporaryFolder({});
  const database = {
    hosts: new Map<string, KnownHost>(),
    certificates: new Map<string, SealedCertificate>(),
    versions: new Map<string, EdgeVersion>(),
  };
  const asked: string[] = [];
  const errors: unknown[] = [];
  let time = Date.UTC(2026, 2, 1);
  const now = () => time;
  const startEdge = async () => {
    const folder = new KnowledgeFolder(root, Buffer.alloc(32, 1));
    await folder.prepare();
    const onError = (error: unknown) => errors.push(error);
    const marks = new ChangeMarks({ folder, now, onError });
    const find =
      <T>(kind: string, values: Map<string, T>) =>
      async (name: string) => {
        asked.push(`${kind} ${name}`);
        return values.get(name) ?? null;
      };
    const sources = {
      findHost: find('host', database.hosts),
      findCertificate: find('certificate', database.certificates),
      loadVersion: find('version', database.versions),
    };
    const pace = { writeAfterMs: 0, pauseMs: 0, refreshAfterMs: () => 0, checkAfterMs: 500 };
    const knowledge = new EdgeKnowledge({ folder, marks, sources, now, onError, pace });
    return {
      ...{ knowledge, marks },
      /** Looks up a hostname for a visitor. */
      async visit(hostname: string) {
        const askedAt = now();
        knowledge.noteHost(hostname, database.hosts.get(hostname) ?? null, askedAt);
        await knowledge.idle();
      },
      /** Learns of a change, and has learnt its result. */
      async change(siteId: string | null, hostname: string | null) {
        knowledge.noteChange({ site_id: siteId, hostname });
        time += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
        await knowledge.idle();
      },
    };
  };
  const one = await startEdge();
  await one.knowledge.idle();
  const filesOf = (kind: string) => readdir(join(root, kind));
  return {
    ...{ root, database, asked, errors, startEdge, one, filesOf, now },
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe('what an edge has learnt', () => {
  it('is known to other edges of the machine and to later ones, with the live version', async () => {
    const { database, one, startEdge, asked } = await prepare();
    database.hosts.set('a.test', site).set('b.test', redirect);
    const inMemory = version('v1');
    one.knowledge.noteVersion(inMemory);
    await one.visit('a.test');
    await one.visit('b.test');
    one.knowledge.noteCertificate('a.test', certificate, 1);
    const { knowledge } = await startEdge();
    expect(await knowledge.recallHost('a.test')).toEqual(site);
    expect(await knowledge.recallHost('b.test')).toEqual(redirect);
    expect(await knowledge.recallHost('c.test')).toBeNull();
    const recalled = await knowledge.recallVersion('v1');
    expect(recalled).toMatchObject({ ...inMemory, files: expect.anything() });
    expect([...(recalled?.files.entries() ?? [])]).toEqual([...inMemory.files.entries()]);
    expect(asked).toEqual([]);
  });

  it('includes certificates, with their keys sealed as in the database', async () => {
    const { one, root, filesOf, now } = await prepare();
    one.knowledge.noteCertificate('a.test', certificate, now());
    await one.knowledge.idle();
    expect(await one.knowledge.recallCertificate('a.test')).toEqual(certificate);
    const [name = ''] = await filesOf('certificates');
    expect(await readFile(join(root, 'certificates', name), 'utf8')).toContain(
      '"privateKeySealed":"v1.sealed"',
    );
  });

  it('is a version with the encoded copies that it has got since', async () => {
    const { database, one, filesOf } = await prepare();
    database.hosts.set('a.test', site);
    database.versions.set('v1', version('v1', ''));
    await one.visit('a.test');
    expect(await one.knowledge.recallVersion('v1')).toMatchObject({ copiesAfter: '' });
    database.versions.set('v1', version('v1'));
    await one.change('s', null);
    expect(await one.knowledge.recallVersion('v1')).toMatchObject({ copiesAfter: null });
    expect(await filesOf('versions')).toHaveLength(1);
  });

  it('does not grow with hostnames that lead nowhere, nor with previews', async () => {
    const { database, one, filesOf } = await prepare();
    database.hosts.set('p.test', { ...site, kind: 'preview' });
    for (const name of ['p.test', 'x.test', 'y.test']) await one.visit(name);
    expect([await filesOf('hosts'), await filesOf('versions')]).toEqual([[], []]);
  });

  it('is written once for any number of visits, and again after an hour', async () => {
    const { database, one, pass, filesOf, root } = await prepare();
    database.hosts.set('b.test', redirect);
    await one.visit('b.test');
    const [name = ''] = await filesOf('hosts');
    const read = () => readFile(join(root, 'hosts', name), 'utf8');
    const first = await read();
    pass(HOUR_MS / 2);
    await one.visit('b.test');
    expect(await read()).toBe(first);
    pass(HOUR_MS);
    await one.visit('b.test');
    expect(await read()).not.toBe(first);
  });
});

describe('what was learnt before a change', () => {
  it.each([
    ['its site', 's', null],
    ['its hostname', null, 'a.test'],
  ])('of %s is not used by any edge, however long the change was before', async (_, siteId, hostname) => {
    const { database, one, startEdge, pass } = await prepare();
    database.hosts.set('a.test', site);
    await one.visit('a.test');
    const other = await startEdge();
    other.marks.mark({ site_id: siteId, hostname });
    await other.marks.idle();
    expect(await one.knowledge.recallHost('a.test')).toBeNull();
    pass(HOUR_MS);
    expect(await (await startEdge()).knowledge.recallHost('a.test')).toBeNull();
  });

  it('is not used when it is written after the change', async () => {
    const { database, one, now, pass } = await prepare();
    const askedAt = now();
    pass(1);
    one.marks.mark({ site_id: 's', hostname: null });
    pass(1);
    one.knowledge.noteHost('a.test', site, askedAt);
    await one.knowledge.idle();
    expect(await one.knowledge.recallHost('a.test')).toBeNull();
    database.hosts.set('a.test', site);
    pass(HOUR_MS);
    await one.visit('a.test');
    expect(await one.knowledge.recallHost('a.test')).toEqual(site);
  });

  it('is learnt again without a visit: a publish, a suspension, a deletion', async () => {
    const { database, one, filesOf } = await prepare();
    database.hosts.set('a.test', site).set('b.test', redirect);
    await one.visit('a.test');
    await one.visit('b.test');
    database.versions.set('v2', version('v2'));
    database.hosts.set('a.test', { ...site, versionId: 'v2' });
    await one.change('s', null);
    expect(await one.knowledge.recallHost('a.test')).toMatchObject({ versionId: 'v2' });
    expect(await one.knowledge.recallVersion('v2')).not.toBeNull();
    database.hosts.set('a.test', { ...site, isSuspended: true });
    await one.change('s', null);
    expect(await one.knowledge.recallHost('a.test')).toMatchObject({ isSuspended: true });
    database.hosts.delete('a.test');
    await one.change('s', 'a.test');
    expect(await one.knowledge.recallHost('a.test')).toBeNull();
    expect(await filesOf('hosts')).toHaveLength(1);
    expect(await one.knowledge.recallHost('b.test')).toEqual(redirect);
  });

  it('is learnt again by an edge that knows it when another edge learns of the change later', async () => {
    const { database, one, startEdge, pass } = await prepare();
    database.hosts.set('a.test', site);
    await one.visit('a.test');
    await one.change('s', null);
    expect(await one.knowledge.recallHost('a.test')).toEqual(site);
    const { marks } = await startEdge();
    marks.mark({ site_id: 's', hostname: null });
    await marks.idle();
    expect(await one.knowledge.recallHost('a.test')).toBeNull();
    pass(1);
    await expect.poll(() => one.knowledge.recallHost('a.test')).toEqual(site);
  });

  it('is written at once when a visitor asks after the change', async () => {
    const { database, one, startEdge, pass, asked } = await prepare();
    database.hosts.set('a.test', site);
    await one.visit('a.test');
    one.knowledge.noteChange({ site_id: 's', hostname: null });
    pass(1);
    await one.visit('a.test');
    expect(await (await startEdge()).knowledge.recallHost('a.test')).toEqual(site);
    expect(asked).not.toContain('host a.test');
  });

  it('is not used either when its mark was one of too many', async () => {
    const root = await makeTemporaryFolder({});
    const bytesMax = { hosts: 4096, certificates: 4096, versions: 4096, changes: 3 * 4096, position: 4096 };
    const folder = new KnowledgeFolder(root, Buffer.alloc(32), bytesMax);
    await folder.prepare();
    const now = () => Date.now();
    const marks = new ChangeMarks({ folder, now, onError: () => undefined });
    const pass = () => new Promise((resolve) => setTimeout(resolve, 10));
    const before = now();
    const times: number[] = [];
    for (const siteId of ['a', 'b', 'c', 'd', 'e']) {
      await pass();
      marks.mark({ site_id: siteId, hostname: null });
      await marks.idle();
      await pass();
      times.push(now());
    }
    await marks.prune();
    expect(await readdir(join(root, 'changes'))).toHaveLength(2);
    expect(await marks.isCurrent(before, ['site a'])).toBe(false);
    expect(await marks.isCurrent(before, ['site z'])).toBe(false);
    expect(await marks.isCurrent(times[3] ?? 0, ['site a'])).toBe(true);
    expect(await marks.isCurrent(times[3] ?? 0, ['site e'])).toBe(false);
  });

  it('of a certificate is not used, for a name or for the wildcard above it', async () => {
    const { database, one, now } = await prepare();
    database.certificates.set('a.test', { ...certificate, serialNumber: '2' });
    for (const changed of ['a.test', '*.test']) {
      one.knowledge.noteCertificate('a.test', certificate, now());
      await one.knowledge.idle();
      one.marks.mark({ site_id: null, hostname: changed });
      expect(await one.knowledge.recallCertificate('a.test')).toBeNull();
      await one.change(null, changed);
      expect(await one.knowledge.recallCertificate('a.test')).toMatchObject({ serialNumber: '2' });
    }
  });

  it('is not used for longer than 23 hours, nor when the clock says that it is yet to come', async () => {
    const { database, one, pass } = await prepare();
    database.hosts.set('a.test', site);
    await one.visit('a.test');
    pass(23 * HOUR_MS - 1);
    expect(await one.knowledge.recallHost('a.test')).toEqual(site);
    pass(1);
    expect(await one.knowledge.recallHost('a.test')).toBeNull();
    pass(-24 * HOUR_MS);
    expect(await one.knowledge.recallHost('a.test')).toBeNull();
  });
});

describe('a disk with a fault', () => {
  it('has no effect but that a damaged file is not used', async () => {
    const { database, one, root, filesOf } = await prepare();
    database.hosts.set('a.test', site);
    await one.visit('a.test');
    const [name = ''] = await filesOf('hosts');
    await writeFile(join(root, 'hosts', name), '{"askedAt":1}');
    expect(await one.knowledge.recallHost('a.test')).toBeNull();
  });

  it('whose marks are damaged hides what they were about', async () => {
    const { database, one, root, filesOf } = await prepare();
    database.hosts.set('a.test', site);
    await one.change('s', null);
    await one.visit('a.test');
    expect(await one.knowledge.recallHost('a.test')).toEqual(site);
    const [name = ''] = await filesOf('changes');
    await writeFile(join(root, 'changes', name), '');
    expect(await one.knowledge.recallHost('a.test')).toBeNull();
  });

  it('that cannot store a change makes all edges forget everything', async () => {
    const { database, one, root, startEdge, errors } = await prepare();
    database.hosts.set('a.test', site).set('b.test', redirect);
    for (const name of ['a.test', 'b.test']) await one.visit(name);
    const other = await startEdge();
    await other.knowledge.idle();
    await rm(join(root, 'changes'), { recursive: true });
    one.marks.mark({ site_id: 's', hostname: null });
    await one.marks.idle();
    for (const { knowledge } of [one, other]) {
      expect([await knowledge.recallHost('a.test'), await knowledge.recallHost('b.test')]).toEqual([
        null,
        null,
      ]);
    }
    expect(errors).toHaveLength(1);
  });

  it('that stores nothing rests for a minute, and then what is learnt is kept again', async () => {
    const { database, one, root, errors, pass, startEdge } = await prepare();
    database.hosts.set('a.test', site);
    await rm(join(root, 'hosts'), { recursive: true });
    await one.visit('a.test');
    await one.visit('a.test');
    expect(errors).toHaveLength(1);
    await startEdge();
    pass(60_000);
    await one.visit('a.test');
    expect(await one.knowledge.recallHost('a.test')).toEqual(site);
  });
});
