import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import type { Logger } from '../logging/logger.ts';
import { inTurn, requireWritable } from './build-turns.ts';
import { ENTRIES, findProgram, programPlaces, readProgramSources } from './compiled-program.ts';
import { keepBuild } from './kept-builds.ts';

/** Loaded from their packages: native code, code that reads files beside its own, and what only builds. */
const LOADED_FROM_PACKAGES = [/^better-sqlite3$/, /^pdfkit$/, /^rolldown$/, /^vite$/];

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
  await keepBuild(programPlaces(root), readProgramSources(root), (folder) => compile(root, folder));
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
