import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { registerDeployer, requireStatus } from '#tests/support/client/deploy-client.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { startPostgres } from '#tests/support/runner/postgres-server.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { findEdgeDifferences, markedSite, markOf } from '#tests/support/server/marked-site.ts';
import { startTestServer } from '#tests/support/server/test-server.ts';
import { startEdgeProcess } from './edge-process.ts';

const random = seededRandom(13);
const small = (mark: string) => markedSite(mark, random, 3);

describe('an edge in its own process', () => {
  it('follows publish and rollback of the console’s process through the database', async () => {
    const postgres = await startPostgres();
    const shared = await mkdtemp(join(tmpdir(), 'portage-shared-'));
    const environment = {
      DATABASE_URL: postgres.url,
      OBJECT_STORE_URL: `file:${shared}`,
      MASTER_KEY: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'warn',
    };
    const server = await startTestServer({ ...environment, ROLES: 'console,jobs' });
    const edge = await startEdgeProcess(environment);
    try {
      const site = await (await registerDeployer(server)).createSite('two processes');
      expect((await edge.ask(site.host, '/')).status).toBe(404);
      const [first, second] = [small('first'), small('second')];
      const { id } = await site.deploy(first);
      await edge.askUntil(site.host, '/', ({ text }) => markOf(text) === 'first');
      expect(await findEdgeDifferences({ edge: edge.ask }, site.host, first)).toEqual([]);
      await site.deploy(second);
      await edge.askUntil(site.host, '/', ({ text }) => markOf(text) === 'second');
      requireStatus(await site.rollback(id), 200);
      await edge.askUntil(site.host, '/', ({ text }) => markOf(text) === 'first');
      expect(await findEdgeDifferences({ edge: edge.ask }, site.host, first)).toEqual([]);
      // The edge continues to serve what it knows while the console is down.
      await server.stop();
      expect(await findEdgeDifferences({ edge: edge.ask }, site.host, first)).toEqual([]);
    } finally {
      await edge.close();
      await server.close();
      await postgres.stop();
      await removeFolder(shared);
    }
  });
});
