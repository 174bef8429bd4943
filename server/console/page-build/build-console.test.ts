import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLogger } from '#server/logging/logger.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { ensureConsoleBuild, openConsoleBuild, PAGE_SOURCES } from './build-console.ts';

it('says in one sentence what to do when the pages have to be built and the folder cannot be written', async () => {
  const root = join(import.meta.dirname, 'a-folder-of-somebody-else');
  await expect(ensureConsoleBuild(root, createLogger('silent'))).rejects.toThrow(
    `The pages of the console are not built, or older than the code, and ${root} cannot be written. Run \`npm run build\` there as its owner.`,
  );
});

it('builds the pages again when a part of their build has changed', async () => {
  const configuration = await readFile('app.config.ts', 'utf8');
  const parts = [...configuration.matchAll(/from '\.\/(server\/[^']+)'/g)].map(([, file]) => file);
  expect(parts.length).toBeGreaterThan(3);
  expect(PAGE_SOURCES.paths).toEqual(expect.arrayContaining(parts));
});

it('a console that is started again while newer sources are in place goes on with the pages of its start', async () => {
  const root = await makeTemporaryFolder({
    'app/page.tsx': 'newer than the pages',
    'dist/pages/of-the-start/client/script.js': 'built',
  });
  const prepared = join(root, 'dist', 'pages', 'of-the-start');
  const build = await openConsoleBuild(root, prepared, createLogger('silent'));
  expect(build).toMatchObject({ name: 'of-the-start', clientFolder: join(prepared, 'client') });
});
