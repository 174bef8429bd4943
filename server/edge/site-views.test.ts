import { describe, expect, test } from 'vitest';
import { DEFAULT_EDGE_LIMITS } from './edge-limits.ts';
import { HostDirectory } from './host-directory.ts';
import { Manifest } from './manifest.ts';
import { MemoryBudget } from './memory/memory-budget.ts';
import type { EdgeHost, EdgePorts } from './ports.ts';
import { SiteViews } from './site-views.ts';

const filesOfVersion = 1_000;
const mebibyte = 1024 * 1024;

/** Hosts named `live-N` and `preview-N`, each with its own version with a large manifest and long rules. */
function world(
  limits: Partial<typeof DEFAULT_EDGE_LIMITS> = {},
  rulesIdOf: (version: string) => string | null = () => null,
) {
  const loaded: string[] = [];
  let isDown = false;
  const ports: EdgePorts = {
    async resolveHost(hostname): Promise<EdgeHost> {
      if (isDown) throw new Error('the database is away');
      return {
        kind: hostname.startsWith('preview') ? 'preview' : 'site',
        siteId: `site of ${hostname}`,
        versionId: hostname,
        ...{ endpointId: null, isHttpsOnly: false, strictTransportSeconds: 0, spaFallback: false },
        ...{ isSuspended: false, meter: null },
      };
    },
    async loadVersion(id) {
      loaded.push(id);
      const file = { sha256: id, size: 1, contentType: 'text/html', brotliSize: null, gzipSize: null };
      const paths = Array.from({ length: filesOfVersion }, (_, at) => [`${id}-${at}`, file] as const);
      const to = `/${'x'.repeat(1_000)}`;
      const redirects = Array.from({ length: 1_000 }, (_, at) => ({
        ...{ from: `/${at}`, to, status: 301 as const, forced: false, lineNumber: at },
      }));
      return { id, sealedAt: 0, files: Manifest.of(paths), rulesId: rulesIdOf(id), redirects, headers: [] };
    },
    findReplacedVersions: async () => [],
    openBlob: async () => null,
  };
  const views = new SiteViews(ports, { ...DEFAULT_EDGE_LIMITS, ...limits }, new MemoryBudget(mebibyte));
  const logger = { warn: () => {}, error: () => {} };
  const directory = new HostDirectory(ports, views, logger, 1_000, () => 0);
  const goDown = () => {
    isDown = true;
  };
  return { views, directory, loaded, goDown };
}

describe('views in memory', () => {
  test('are counted with their rules, and hosts hold none that was evicted', async () => {
    const { views, directory } = world({ asideViewBytesMax: 8 * mebibyte });
    const entries = [];
    for (let at = 0; at < 60; at += 1) entries.push(await directory.find(`preview-${at}`));
    expect(views.bytesUsed).toBeLessThanOrEqual(8 * mebibyte);
    const held = entries.filter((entry) => entry?.slot?.view);
    const bytes = held.reduce((sum, entry) => sum + (entry?.slot?.view?.bytes ?? 0), 0);
    expect(bytes).toBeLessThanOrEqual(8 * mebibyte);
    expect(held.length).toBeGreaterThan(1);
    // 1,000 files and 1,000 rules of 1,000 characters each.
    expect(held[0]?.slot?.view?.bytes).toBeGreaterThan(filesOfVersion * 1_200);
  });

  test('hold their identical rules once, as long as one of them exists', async () => {
    const { views, directory } = world({ asideViewBytesMax: 8 * mebibyte }, (id) =>
      id.startsWith('preview') ? 'alike' : id,
    );
    const first = (await directory.find('preview-0'))?.slot?.view;
    const second = (await directory.find('preview-1'))?.slot?.view;
    expect(second?.rules.findRedirect).toBe(first?.rules.findRedirect);
    expect(second?.bytes).toBe(first?.bytes);
    for (let at = 2; at < 30; at += 1) await directory.find(`preview-${at}`);
    expect(directory.peek('preview-0', 0)).toBeNull();
    expect(views.ruleSets).toBe(1);
    await directory.find('live-1');
    expect(views.ruleSets).toBe(2);
  });

  test('release the rules that no other has', async () => {
    const { views, directory } = world({ asideViewBytesMax: 3 * mebibyte }, (id) => id);
    for (let at = 0; at < 20; at += 1) await directory.find(`preview-${at}`);
    expect(views.ruleSets).toBeLessThan(4);
  });

  test('that were evicted are read again on demand', async () => {
    const { directory, loaded } = world({ asideViewBytesMax: 3 * mebibyte });
    for (const host of ['preview-1', 'preview-2', 'preview-3']) await directory.find(host);
    expect(directory.peek('preview-1', 0)).toBeNull();
    expect((await directory.find('preview-1'))?.slot?.view?.versionId).toBe('preview-1');
    expect(directory.peek('preview-1', 0)?.slot?.view?.versionId).toBe('preview-1');
    expect(loaded.filter((id) => id === 'preview-1')).toHaveLength(2);
  });

  test('of live sites stay, however many previews are requested', async () => {
    const { directory, loaded } = world({ asideViewBytesMax: 3 * mebibyte });
    await directory.find('live-1');
    for (let at = 0; at < 20; at += 1) await directory.find(`preview-${at}`);
    expect(directory.peek('live-1', 0)?.slot?.view?.versionId).toBe('live-1');
    expect(loaded.filter((id) => id === 'live-1')).toHaveLength(1);
  });

  test('larger than the whole limit are served anyway', async () => {
    const { directory } = world({ viewBytesMax: 1_000 });
    expect((await directory.find('live-1'))?.slot?.view?.versionId).toBe('live-1');
  });

  test('that cannot be reread while the database is unavailable do not mean that nothing is deployed', async () => {
    const { directory, goDown } = world({ asideViewBytesMax: 3 * mebibyte });
    for (const host of ['preview-1', 'preview-2', 'preview-3']) await directory.find(host);
    goDown();
    const entry = await directory.find('preview-1');
    expect(entry?.slot).not.toBeNull();
    expect(entry?.slot?.view).toBeNull();
  });
});
