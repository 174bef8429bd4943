import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { ensureConsoleBuild } from '#server/console/page-build/build-console.ts';
import { createLogger } from '#server/logging/logger.ts';

it('pages are rendered from one file, so that an upgrade in place removes nothing from a running console', async () => {
  const { serverEntry } = await ensureConsoleBuild(process.cwd(), createLogger('warn'));
  expect(await readdir(dirname(serverEntry))).toEqual(['server.js']);
  const code = await readFile(serverEntry, 'utf8');
  expect(code).not.toMatch(/import\(\s*["'`]\.\.?\//);
});
