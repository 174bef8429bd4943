import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { packedOnce, packPackage } from './pack-package.ts';

const CLI_FOLDER = fileURLToPath(new URL('../../../cli/', import.meta.url));
const PACKED = /^(package\.json|README\.md|portage\.mjs|src\/[\w/.-]+\.mjs)$/;

/**
 * Returns the command-line tool as a package that `npx {address}` runs, so that every installation provides
 * the version that matches it and nothing has to be published.
 */
export const getCliPackage = packedOnce(async () => {
  const names = (await readdir(CLI_FOLDER, { recursive: true })).map((name) => name.replaceAll('\\', '/'));
  const packed = names.filter((name) => PACKED.test(name)).sort();
  const files = packed.map(async (name) => ({
    name,
    content: await readFile(`${CLI_FOLDER}${name}`),
    isExecutable: name === 'portage.mjs',
  }));
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(`${CLI_FOLDER}package.json`, 'utf8')));
  return packPackage(version, await Promise.all(files));
});
