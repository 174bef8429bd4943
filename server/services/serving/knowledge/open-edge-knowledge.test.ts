import { readdir } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { alone } from '#server/supervisor/siblings.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createSite } from '../../sites/create-site.ts';
import { createEdgePorts } from '../edge-ports.ts';
import { plainParts } from '../known-host.ts';
import { isKnowledgeKept, openEdgeKnowledge } from './open-edge-knowledge.ts';

const HOST = 'blog.sites.localhost';
const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/nothing';

/** The app of one edge among other processes, with a database server. */
function asEdge(app: TestApp): TestApp {
  const config = { ...app.config, databaseUrl: DATABASE_URL };
  return { ...app, config, siblings: { ...alone, isAlone: false } };
}

describe('the ports of an edge whose database is away', () => {
  it('recall what was read before, for an outage and for no other error', async () => {
    const app = asEdge(await createTestApp());
    const { context } = await createTestPerson(app);
    const site = await createSite(context, { name: 'blog' });
    const { version_id } = await deployTestFiles(context, site.id, { 'index.html': '1' });
    const knowledge = (await openEdgeKnowledge(app, plainParts))?.knowledge ?? null;
    const metered: unknown[] = [];
    const meterOf = (series: unknown) => {
      metered.push(series);
      return null;
    };
    const ports = createEdgePorts(app, meterOf, undefined, knowledge);
    const known = [await ports.resolveHost(HOST), await ports.loadVersion(version_id)];
    await knowledge?.idle();

    const db = openDatabase(DATABASE_URL);
    onTestFinished(() => db.destroy());
    const cut = createEdgePorts({ ...app, db }, meterOf, undefined, knowledge);
    const outage: unknown = await cut.resolveHost(HOST).catch((error: unknown) => error);
    expect([await cut.recallHost?.(HOST, outage), await cut.loadVersion(version_id)]).toEqual(known);
    expect(metered[1]).toEqual(metered[0]);
    expect(await cut.recallHost?.('other.sites.localhost', outage)).toBeNull();
    expect(await cut.recallHost?.(HOST, new Error('a defect'))).toBeNull();
    await expect(cut.loadVersion('another')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('what edges know is kept', () => {
  it('once an edge has followed the log of changes, and then lets another start without the database', async () => {
    const app = asEdge(await createTestApp());
    expect(await isKnowledgeKept(app.config)).toBe(false);
    const opened = await openEdgeKnowledge(app, plainParts);
    expect(await isKnowledgeKept(app.config)).toBe(false);
    opened?.marks.followed(0);
    await opened?.marks.idle();
    expect(await isKnowledgeKept(app.config)).toBe(true);
  });

  it('neither with an embedded database nor in a single process', async () => {
    const app = await createTestApp();
    const embedded = { ...app.config, databaseUrl: 'sqlite:portage.sqlite' };
    expect(await openEdgeKnowledge({ ...asEdge(app), config: embedded }, plainParts)).toBeNull();
    expect(await openEdgeKnowledge({ ...asEdge(app), siblings: alone }, plainParts)).toBeNull();
    expect(await readdir(app.config.dataDir)).not.toContain('edge-knowledge');
  });
});
