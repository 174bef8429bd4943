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
const PAGE = /\/routes\/\$orgId\/(?!route\.tsx).*\?tsr-split=component/;
const OTHER_PAGE = /\/routes\/(?!\$orgId\/).*\?tsr-split=component/;
/** What so many pages of an organization show comes in one file with the frame around them. */
const PAGES_MIN = 12;

/**
 * How the scripts of the console are put into files: what every page needs is one, and what every page of an organization has, with
 * what many of them share, another. Left to itself, the bundler writes a file for each set of modules that some screens share, and a
 * page asks for a hundred of them: each costs a head, and compresses alone.
 */
export function clientChunks() {
  let groupOf: Map<string, string> | null = null;
  return {
    groups: [
      {
        debugName: 'console',
        name: (id: string, graph: { getModuleInfo: FindModule }) => {
          groupOf ??= groupModules(id, (each) => graph.getModuleInfo(each));
          return groupOf.get(id) ?? null;
        },
      },
    ],
  };
}

function groupModules(someId: string, find: FindModule): Map<string, string> {
  const ids = allModules(someId, find);
  const barrels = new Map<string, Map<string, string>>();
  const reach = (roots: string[]) => reachedFrom(roots, find, barrels);
  const first = reach(ids.filter((id) => find(id)?.isEntry));
  const frame = reach(ids.filter((id) => FRAME.test(id)));
  const elsewhere = reach(ids.filter((id) => OTHER_PAGE.test(id)));
  const pages = ids.filter((id) => PAGE.test(id)).map((id) => reach([id]));
  const groupOf = new Map<string, string>();
  for (const id of ids) {
    if (first.has(id)) groupOf.set(id, 'first');
    else if (frame.has(id)) groupOf.set(id, 'frame');
    else if (!elsewhere.has(id) && pages.filter((page) => page.has(id)).length >= PAGES_MIN)
      groupOf.set(id, 'frame');
  }
  return groupOf;
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
