import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Where `app/load-part.ts` names the list; its name is known once the build has written all else. */
const LIST = '/assets/part-needs.json';
/** How Vite writes the names of the files that a script's parts need, and where it names those of one part. */
const NAMES =
  /^const __vite__mapDeps=\(i,m=__vite__mapDeps,d=\(m\.f\|\|\(m\.f=(\[.*?\])\)\)\)=>i\.map\(i=>d\[i\]\);\n/;
const NAMES_OF_PART = /__vite__mapDeps\(\[([\d,]*)\]\)/g;

/**
 * Takes the list of what other pages need out of the first script: 200 names that do not compress, 3 KB before any page answers. It
 * is a file of its own, which `app/load-part.ts` reads when the page answers; that module stands in for Vite's loader of parts.
 */
export function lazyPartNeeds(root: string): Plugin {
  return {
    name: 'portage:lazy-part-needs',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    enforce: 'pre',
    load: {
      filter: { id: /vite\/preload-helper\.js$/ },
      handler: () =>
        `export { loadPart as __vitePreload } from ${JSON.stringify(join(root, 'app/load-part.ts'))};`,
    },
    generateBundle: {
      // After Vite, which has written the names by then.
      order: 'post',
      handler(_, bundle) {
        for (const script of Object.values(bundle)) {
          if (script.type !== 'chunk' || !script.isEntry) continue;
          const { code, needs } = takeNeeds(script.code);
          const list = this.emitFile({
            type: 'asset',
            name: 'part-needs.json',
            source: JSON.stringify(needs),
          });
          script.code = code.replace(LIST, `/${this.getFileName(list)}`);
        }
      },
    },
  };
}

/**
 * Returns a script that names its parts' needs by number, and the files behind each number.
 *
 * @throws when the script is not as Vite writes it, or does not read the list
 */
export function takeNeeds(code: string): { code: string; needs: string[][] } {
  const [found, names] = NAMES.exec(code) ?? [];
  if (found === undefined || names === undefined)
    throw new Error('The list of files that parts need has an unexpected form: Vite has changed it.');
  if (!code.includes(LIST)) throw new Error(`The first script does not read ${LIST}.`);
  // Safe: the pattern has found a list, and Vite writes strings into it.
  const files = JSON.parse(names) as string[];
  const needs: string[][] = [];
  const rest = code.slice(found.length).replace(NAMES_OF_PART, (_, indexes: string) => {
    const needed = indexes.split(',').map((index) => files[Number(index)] ?? '');
    return String(needs.push(needed) - 1);
  });
  return { code: rest, needs };
}
