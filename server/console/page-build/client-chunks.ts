import { dirname, join } from 'node:path';

/** What the bundler reports about a module. */
interface ModuleInfo {
  id: string;
  code: string | null;
  isEntry: boolean;
  importedIds: string[];
  dynamicallyImportedIds: string[];
  importers: string[];
  dynamicImporters: string[];
}
type FindModule = (id: string) => ModuleInfo | null;

/** Packages whose index names hundreds of modules, of which an import uses only those that it names. */
const BARREL =
  /node_modules\/@(mantine\/(core|hooks)|tabler\/icons-react)\/.*\/(index|tabler-icons-react)\.mjs$/;
const BARREL_IMPORT =
  /import\s*\{([^}]*)\}\s*from\s*["'](@mantine\/core|@mantine\/hooks|@tabler\/icons-react)["']/g;
const BARREL_LINE = /(?:import|export)\s*\{([^}]*)\}\s*from\s*["'](\.[^"']*)["']/g;

const FRAME = /\/routes\/\$orgId\/route\.tsx\?tsr-split=component/;
/** Distinguishes a page inside the frame from one before it: sign-in, registration, legal texts. */
const FRAME_ITSELF = /\/features\/frame\/app-frame\.tsx$/;
const PAGE = /\/routes\/\$orgId\/(?!route\.tsx).*\?tsr-split=component/;
const OTHER_PAGE = /\/routes\/(?!\$orgId\/).*\?tsr-split=component/;
/** The pages that people arrive at (tests/api/first-page-weight.test.ts weighs them). */
const ARRIVALS = {
  dashboard: /\/routes\/\$orgId\/index\.tsx\?tsr-split=component/,
  sites: /\/routes\/\$orgId\/sites\/index\.tsx\?tsr-split=component/,
  signIn: /\/routes\/login\.tsx\?tsr-split=component/,
  form: /\/routes\/identity\/interaction\.\$uid\.tsx\?tsr-split=component/,
};
/** What this many pages of an organization show comes in one file with the frame around them. */
const PAGES_MIN = 12;
/** What this many pages show is kept apart from what an arrival page shares with a few. */
const WIDELY_SHARED_MIN = 5;

/** The files whose contents most pages share; below are those of what arrival pages share. */
const FILES = ['first', 'frame', 'forms'];
/** What several arrival pages need stands before what one needs, since a file takes what its modules import along. */
const ARRIVAL_FILES = subsets(Object.keys(ARRIVALS))
  .sort((a, b) => b.length - a.length)
  .flatMap((arrivals) => [arrivalFile(arrivals, true), arrivalFile(arrivals, false)]);

/**
 * Returns the rules by which the bundler puts the scripts of the console into files:
 * 1. what every page needs, and what pages before the frame share with those in it;
 * 2. the frame;
 * 3. what many pages share, but not the dashboard;
 * 4. for each page that people arrive at, two files of what else it shares with other pages.
 *
 * By default, the bundler writes a file for each set of modules that some screens share, and a page requests a hundred
 * of them: each has a head of its own and is compressed alone.
 */
export function clientChunks() {
  let fileOf: Map<string, string> | null = null;
  const file = (name: string, priority: number) => ({
    debugName: name,
    priority,
    name: (id: string, graph: { getModuleInfo: FindModule }) => {
      fileOf ??= assignFiles(id, (each) => graph.getModuleInfo(each));
      return fileOf.get(id) === name ? name : null;
    },
  });
  const names = [...FILES, ...ARRIVAL_FILES];
  // A file takes what its modules import along, unless one before it has.
  return { groups: names.map((name, index) => file(name, names.length - index)) };
}

/**
 * Returns the name of a file of scripts. The first page carries the names of all the others, so that what a part needs is fetched
 * with it: they are as short as they can be told apart.
 */
export function nameScript({ name }: { name: string }): string {
  return FILES.includes(name) ? 'assets/[name]-[hash].js' : 'assets/[hash:7].js';
}

/** Styles are named among the scripts; a font keeps its name. */
export function nameAsset({ names }: { names: string[] }): string {
  return names[0]?.endsWith('.css') ? 'assets/[hash:7].css' : 'assets/[name]-[hash][extname]';
}

function assignFiles(someId: string, find: FindModule): Map<string, string> {
  const ids = allModules(someId, find);
  const barrels = new Map<string, Map<string, string>>();
  const reach = (roots: string[]) => reachedFrom(roots, find, barrels);
  const each = (root: RegExp) => ids.filter((id) => root.test(id)).map((id) => reach([id]));
  const first = reach(ids.filter((id) => find(id)?.isEntry));
  const frame = reach(ids.filter((id) => FRAME.test(id)));
  const arrivals = Object.entries(ARRIVALS).map(([name, page]) => ({
    name,
    reached: reach(ids.filter((id) => page.test(id))),
  }));
  const others = each(OTHER_PAGE);
  const bare = others.filter((page) => ![...page].some((id) => FRAME_ITSELF.test(id)));
  const pages = each(PAGE);
  const parts = ids.filter((id) => (find(id)?.dynamicImporters ?? []).length > 0).map((id) => reach([id]));
  const isShared = (id: string) => frame.has(id) || countOf(pages, id) >= PAGES_MIN;
  const fileOf = new Map<string, string>();
  for (const id of ids) {
    const arrivalsOf = arrivals.filter(({ reached }) => reached.has(id)).map(({ name }) => name);
    if (first.has(id)) fileOf.set(id, 'first');
    else if (!isShared(id)) {
      const pageCount = countOf(pages, id) + countOf(others, id);
      if (arrivalsOf.length > 0 && countOf(parts, id) > 1)
        fileOf.set(id, arrivalFile(arrivalsOf, pageCount >= WIDELY_SHARED_MIN));
    } else if (!frame.has(id) && !arrivalsOf.includes('dashboard')) fileOf.set(id, 'forms');
    else fileOf.set(id, countOf(bare, id) > 0 ? 'first' : 'frame');
  }
  return fileOf;
}

function arrivalFile(arrivals: string[], isWidelyShared: boolean): string {
  return [...arrivals, ...(isWidelyShared ? ['wide'] : [])].join('-');
}

/** Returns every choice of one or more names, each in the order of the names. */
function subsets(names: string[]): string[][] {
  const [name, ...others] = names;
  if (name === undefined) return [];
  const ofOthers = subsets(others);
  return [[name], ...ofOthers.map((set) => [name, ...set]), ...ofOthers];
}

function countOf(groups: Set<string>[], id: string): number {
  return groups.filter((group) => group.has(id)).length;
}

/** Returns the ids of all modules, found from one of them. */
function allModules(someId: string, find: FindModule): string[] {
  const ids = new Set([someId]);
  for (const id of ids) {
    const info = find(id);
    if (!info) continue;
    const near = [info.importedIds, info.dynamicallyImportedIds, info.importers, info.dynamicImporters];
    for (const next of near.flat()) ids.add(next);
  }
  return [...ids];
}

/** Returns the modules that are loaded with some others, these included. */
function reachedFrom(
  roots: string[],
  find: FindModule,
  barrels: Map<string, Map<string, string>>,
): Set<string> {
  const reached = new Set(roots);
  for (const id of reached) {
    const info = find(id);
    for (const imported of info?.importedIds ?? []) {
      if (!BARREL.test(imported)) {
        reached.add(imported);
        continue;
      }
      let barrel = barrels.get(imported);
      if (!barrel) {
        barrel = readBarrel(find(imported));
        barrels.set(imported, barrel);
      }
      for (const name of namesFromBarrels(info?.code ?? '')) {
        const module = barrel.get(name);
        if (module) reached.add(module);
      }
    }
  }
  return reached;
}

/** Returns where each name of an index comes from. */
function readBarrel(barrel: ModuleInfo | null): Map<string, string> {
  const modules = new Map<string, string>();
  if (!barrel) return modules;
  for (const [, names = '', path = ''] of (barrel.code ?? '').matchAll(BARREL_LINE)) {
    for (const { local } of readNames(names)) modules.set(local, join(dirname(barrel.id), path));
  }
  return modules;
}

function namesFromBarrels(code: string): string[] {
  return Array.from(code.matchAll(BARREL_IMPORT), ([, names = '']) =>
    readNames(names).map(({ imported }) => imported),
  ).flat();
}

function readNames(names: string): { imported: string; local: string }[] {
  return names
    .split(',')
    .map((name) => name.trim().split(/\s+as\s+/))
    .map(([imported = '', local = imported]) => ({ imported, local }));
}
