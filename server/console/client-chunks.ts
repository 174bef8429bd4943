import { dirname, join } from 'node:path';

/** What the bundler tells of a module. */
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

/** Packages whose index names hundreds of modules; what an import of it uses are those that it names. */
const BARREL =
  /node_modules\/@(mantine\/(core|hooks)|tabler\/icons-react)\/.*\/(index|tabler-icons-react)\.mjs$/;
const BARREL_IMPORT =
  /import\s*\{([^}]*)\}\s*from\s*["'](@mantine\/core|@mantine\/hooks|@tabler\/icons-react)["']/g;
const BARREL_LINE = /(?:import|export)\s*\{([^}]*)\}\s*from\s*["'](\.[^"']*)["']/g;

const FRAME = /\/routes\/\$orgId\/route\.tsx\?tsr-split=component/;
/** What tells a page inside the frame from one before it: sign-in, registration, legal texts. */
const FRAME_ITSELF = /\/features\/frame\/app-frame\.tsx$/;
const SIGN_IN = /\/routes\/login\.tsx\?tsr-split=component/;
const DASHBOARD = /\/routes\/\$orgId\/index\.tsx\?tsr-split=component/;
const PAGE = /\/routes\/\$orgId\/(?!route\.tsx).*\?tsr-split=component/;
const OTHER_PAGE = /\/routes\/(?!\$orgId\/).*\?tsr-split=component/;
/** What so many pages of an organization show comes in one file with the frame around them. */
const PAGES_MIN = 12;

/**
 * How the scripts of the console are put into files: what every page needs is one, what every page of an organization has are three
 * others (of which the sign-in page loads one, and other pages before the frame two), and what many pages share but not the dashboard
 * is a fifth. Left to itself, the bundler writes a file for each set of modules that some screens share, and a page asks for a hundred
 * of them: each costs a head, and compresses alone.
 */
export function clientChunks() {
  let fileOf: Map<string, FileName> | null = null;
  const file = (name: FileName, priority: number) => ({
    debugName: name,
    priority,
    name: (id: string, graph: { getModuleInfo: FindModule }) => {
      fileOf ??= assignFiles(id, (each) => graph.getModuleInfo(each));
      return fileOf.get(id) === name ? name : null;
    },
  });
  // A file takes what its modules import along, unless one before it has.
  return { groups: FILES.map((name, index) => file(name, FILES.length - index)) };
}

/**
 * Returns the name of a file of scripts. The first page carries the names of all the others, so that what a part needs is fetched
 * with it: they are as short as they can be told apart.
 */
export function nameScript({ name }: { name: string }): string {
  return FILES.some((file) => file === name) ? 'assets/[name]-[hash].js' : 'assets/[hash:7].js';
}

/** Styles are named among the scripts; a font keeps its name. */
export function nameAsset({ names }: { names: string[] }): string {
  return names[0]?.endsWith('.css') ? 'assets/[hash:7].css' : 'assets/[name]-[hash][extname]';
}

const FILES = ['first', 'entry', 'base', 'frame', 'forms'] as const;
type FileName = (typeof FILES)[number];

function assignFiles(someId: string, find: FindModule): Map<string, FileName> {
  const ids = allModules(someId, find);
  const barrels = new Map<string, Map<string, string>>();
  const reach = (roots: string[]) => reachedFrom(roots, find, barrels);
  const first = reach(ids.filter((id) => find(id)?.isEntry));
  const frame = reach(ids.filter((id) => FRAME.test(id)));
  const signIn = reach(ids.filter((id) => SIGN_IN.test(id)));
  const others = ids.filter((id) => OTHER_PAGE.test(id)).map((id) => reach([id]));
  const bare = others.filter((page) => ![...page].some((id) => FRAME_ITSELF.test(id)));
  const pages = ids.filter((id) => PAGE.test(id)).map((id) => reach([id]));
  const dashboard = reach(ids.filter((id) => DASHBOARD.test(id)));
  const isShared = (id: string) => frame.has(id) || pages.filter((page) => page.has(id)).length >= PAGES_MIN;
  const fileOf = new Map<string, FileName>();
  for (const id of ids) {
    if (first.has(id)) fileOf.set(id, 'first');
    else if (!isShared(id)) continue;
    else if (signIn.has(id)) fileOf.set(id, 'entry');
    else if (!frame.has(id) && !dashboard.has(id)) fileOf.set(id, 'forms');
    else fileOf.set(id, bare.some((page) => page.has(id)) ? 'base' : 'frame');
  }
  return fileOf;
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
