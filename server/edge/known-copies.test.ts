import { expect, test } from 'vitest';
import { KnownCopies } from './known-copies.ts';
import { Manifest } from './manifest.ts';
import { MemoryBudget } from './memory/memory-budget.ts';
import type { EdgePorts } from './ports.ts';
import { compileHeaders } from './rules/header-rules.ts';
import { compileRedirects } from './rules/redirect-rules.ts';
import type { SiteView } from './site-view.ts';

const portions = 4;

function viewOf(siteId: string): SiteView {
  const file = { sha256: 'a', size: 9, contentType: 'text/plain', brotliSize: null, gzipSize: null };
  const files = Manifest.of(Array.from({ length: portions }, (_, at) => [String(at), file] as const));
  return {
    ...{ siteId, versionId: siteId, isPreview: false, strictTransportSeconds: 0, lastModified: '', bytes: 0 },
    rules: { files, findRedirect: compileRedirects([]), spaFallback: false },
    applyHeaders: compileHeaders([]),
    responses: new Map(),
    copiesAfter: '0',
  };
}

test('copies are read in batches, sites in turn, and no more once all are known', async () => {
  const asked: string[] = [];
  let atOnce = 0;
  const ports: EdgePorts = {
    resolveHost: async () => null,
    loadVersion: async () => null,
    findReplacedVersions: async () => [],
    openBlob: async () => null,
    async findNewCopies(versionId, after) {
      asked.push(versionId);
      atOnce += 1;
      await new Promise((resolve) => setImmediate(resolve));
      expect(atOnce).toBe(1);
      atOnce -= 1;
      const next = Number(after) + 1;
      const isAll = next === portions;
      const copies = [{ path: after, brotliSize: 3, gzipSize: 4 }];
      return { copies, after: isAll ? null : String(next), isAll };
    },
  };
  const known = new KnownCopies(ports, new MemoryBudget(1_000), 10);
  const views = [viewOf('first'), viewOf('second')];
  for (const view of views) known.refresh({ view });
  await expect.poll(() => views.map(({ copiesAfter }) => copiesAfter)).toEqual([null, null]);
  for (const { rules } of views) {
    for (let at = 0; at < portions; at += 1) expect(rules.files.get(String(at))?.brotliSize).toBe(3);
  }
  expect(asked.indexOf('second')).toBeLessThan(asked.lastIndexOf('first'));
  for (const view of views) known.refresh({ view });
  expect(asked).toHaveLength(2 * portions);
});
