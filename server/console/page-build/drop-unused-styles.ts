import { existsSync } from 'node:fs';
import { glob, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const MANTINE = 'node_modules/@mantine/core';
/** The packages beside the pages that show components of Mantine. */
const ALSO_SHOW = ['node_modules/@mantine/notifications/esm', 'node_modules/@mantine/charts/esm'];
const USE = /(?:import|export)\s*\{([^}]*)\}\s*from\s*["']@mantine\/core["']/g;
const LINE = /(?:import|export)\s*(?:\{([^}]*)\}|\w+)\s*from\s*["'](\.[^"']+)["']/g;
/** What a component calls its styles: `Button.module.mjs` belongs to `styles/Button.css`. */
const STYLES = '.module.mjs';

/**
 * Leaves the styles of components that no page shows out of the sheet that every page waits for: more than a third. Development has
 * them all, since a page may begin to show one at any time.
 */
export function dropUnusedStyles(root: string): Plugin {
  return {
    name: 'portage:drop-unused-styles',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /@mantine\/core\/styles\.css$/ },
      async handler(code) {
        return { code: withoutStyles(code, await readStyles(root), await shownComponents(root)), map: null };
      },
    },
  };
}

/**
 * Returns a sheet without the parts of components that are not shown.
 *
 * @throws when a part is not in the sheet as it is: then the library has changed how it makes it
 */
export function withoutStyles(
  sheet: string,
  parts: ReadonlyMap<string, string>,
  shown: ReadonlySet<string>,
): string {
  let kept = sheet;
  for (const [component, part] of parts) {
    if (shown.has(component)) continue;
    if (!kept.includes(part))
      throw new Error(`The styles of ${component} are not in Mantine’s complete style sheet.`);
    kept = kept.replace(part, () => '');
  }
  return kept;
}

/** Returns the styles of each component that has a module of them; colours, resets and variables belong to all. */
async function readStyles(root: string): Promise<Map<string, string>> {
  const parts = new Map<string, string>();
  const components = await componentsWithStyles(root);
  for (const file of await readdir(join(root, MANTINE, 'styles'))) {
    const component = basename(file, '.css');
    if (!components.has(component)) continue;
    parts.set(component, (await readFile(join(root, MANTINE, 'styles', file), 'utf8')).trim());
  }
  return parts;
}

async function componentsWithStyles(root: string): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const path of glob(`esm/**/*${STYLES}`, { cwd: join(root, MANTINE) }))
    found.add(basename(path, STYLES));
  return found;
}

/** Returns the components that pages show, and those that these are made of. */
export async function shownComponents(root: string): Promise<Set<string>> {
  const index = join(root, MANTINE, 'esm/index.mjs');
  const fileOf = new Map<string, string>();
  for (const { names, path } of linesOf(await readFile(index, 'utf8')))
    for (const name of names) fileOf.set(name, join(dirname(index), path));
  const reached = new Set<string>();
  for await (const file of sourcesWithComponents(root)) {
    for (const [, names = ''] of (await readFile(file, 'utf8')).matchAll(USE))
      for (const name of readNames(names)) {
        const path = fileOf.get(name);
        if (path) reached.add(path);
      }
  }
  for (const path of reached) {
    if (!existsSync(path)) continue;
    for (const line of linesOf(await readFile(path, 'utf8'))) reached.add(join(dirname(path), line.path));
  }
  const styles = [...reached].filter((path) => path.endsWith(STYLES));
  return new Set(styles.map((path) => basename(path, STYLES)));
}

async function* sourcesWithComponents(root: string): AsyncGenerator<string> {
  for await (const file of glob('app/**/*.{ts,tsx}', { cwd: root })) yield join(root, file);
  for (const folder of ALSO_SHOW)
    for await (const file of glob('**/*.mjs', { cwd: join(root, folder) })) yield join(root, folder, file);
}

function linesOf(code: string): { names: string[]; path: string }[] {
  return Array.from(code.matchAll(LINE), ([, names = '', path = '']) => ({ names: readNames(names), path }));
}

/** Returns the names that a line imports or exports, as the other side calls them; types are among them and name no component. */
function readNames(names: string): string[] {
  return names
    .split(',')
    .map((name) => name.trim().replace(/^type\s+/, ''))
    .map((name) => name.split(/\s+as\s+/)[0] ?? '')
    .filter((name) => name !== '');
}
