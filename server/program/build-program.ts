import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import type { Logger } from '../logging/logger.ts';
import { inTurn, requireWritable } from './build-turns.ts';
import { ENTRIES, findProgram, programPlaces, readProgramSources } from './compiled-program.ts';
import { stampOf } from './source-stamp.ts';

/** Loaded from their packages: native code, code that reads files beside its own, and what only builds. */
const LOADED_FROM_PACKAGES = [/^better-sqlite3$/, /^koffi$/, /^pdfkit$/, /^rolldown$/, /^vite$/];

/** How many earlier builds stay: programs that run may still load parts of theirs. */
const EARLIER_BUILDS = 2;

/**
 * Builds the program if its sources have changed.
 * @throws ConfigError when the user who runs the server may not build
 */
export async function refreshProgram(root: string, logger: Logger): Promise<void> {
  await requireWritable(root, 'The program is');
  await inTurn(root, async () => {
    // Another process may have built while this one waited.
    if ((await findProgram(root)) !== null) return;
    logger.info('building the program (once per change of its sources)');
    await build(root);
  });
}

/** Compiles the program, unless these sources have been compiled before. */
export async function buildProgram(root: string): Promise<void> {
  await inTurn(root, () => build(root));
}

async function build(root: string): Promise<void> {
  const { builds, stamp, folderOf } = programPlaces(root);
  // Changes during the build are not in it.
  const sources = stampOf(readProgramSources(root));
  const [contents = ''] = sources.split('\n');
  const folder = folderOf(contents);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.unfinished`;
    await mkdir(builds, { recursive: true });
    await rm(unfinished, { recursive: true, force: true });
    await compile(root, unfinished);
    await rename(unfinished, folder);
  }
  await writeFile(stamp, sources);
  await removeEarlier(builds, basename(folder));
}

async function compile(root: string, folder: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  const input = Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(root, path)]));
  const bundle = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    external: LOADED_FROM_PACKAGES,
    plugins: [keepPlaces(folder)],
    checks: { eval: false },
  });
  await bundle.write({ dir: folder, format: 'esm', chunkFileNames: '[name].js', sourcemap: true });
  await bundle.close();
}

/**
 * Lets each module go on finding files beside its source, wherever its code is now. A thread gets a file of its own in
 * the build.
 */
function keepPlaces(folder: string): Plugin {
  return {
    name: 'keep-places',
    transform: {
      filter: { code: /\bimport\.meta\.(?:dirname|url)\b/ },
      handler(code, id) {
        // The bundler's own modules have no place.
        if (id.startsWith('\0')) return null;
        const withThreads = code.replaceAll(
          /new URL\('\.\/([a-z-]+-thread)\.ts', import\.meta\.url\)/g,
          (_, name: string) => {
            this.emitFile({
              type: 'chunk',
              id: join(dirname(id), `${name}.ts`),
              name,
              fileName: `${name}.js`,
            });
            return `new URL('./${name}.js', import.meta['url'])`;
          },
        );
        const place = relative(folder, dirname(id));
        const file = relative(folder, id);
        const placed = withThreads
          .replaceAll(
            /\bimport\.meta\.dirname\b/g,
            `(import.meta['dirname'] + ${JSON.stringify(`/${place}`)})`,
          )
          .replaceAll(/\bimport\.meta\.url\b/g, `new URL(${JSON.stringify(file)}, import.meta['url']).href`);
        // Lines stay where they are.
        return { code: placed, map: null };
      },
    },
  };
}

async function removeEarlier(builds: string, current: string): Promise<void> {
  const names = (await readdir(builds)).filter((name) => name !== current);
  const ages = await Promise.all(
    names.map(async (name) => ({ path: join(builds, name), made: (await stat(join(builds, name))).mtimeMs })),
  );
  const newestFirst = ages.sort((one, other) => other.made - one.made);
  for (const { path } of newestFirst.slice(EARLIER_BUILDS)) await rm(path, { recursive: true, force: true });
}
