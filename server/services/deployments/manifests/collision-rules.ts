import { sortSteps } from './sorting-rules.ts';

/** Two paths of one version that some file systems, or addresses, cannot distinguish. */
export interface PathCollision {
  /** `same`: one path twice. `case`: they differ only by case. `folder`: `path` needs a folder where `other` is a file. */
  kind: 'same' | 'case' | 'folder';
  path: string;
  other: string;
}

interface KeyedPath {
  key: string;
  path: string;
}

/** Compared in one step. */
const STEP_ITEMS = 128;

/**
 * Finds in short steps whether two of the paths collide. Folders sort directly after a file of their name, so
 * only neighbours have to be compared.
 */
export function* collisionSteps(paths: Iterable<string>): Generator<void, PathCollision | null, undefined> {
  const keyed: KeyedPath[] = [];
  for (const path of paths) {
    // No path contains a control character, so with NUL for the slash a folder sorts before any longer name.
    keyed.push({ key: caseKey(path).replaceAll('/', '\0'), path });
    if (keyed.length % STEP_ITEMS === 0) yield;
  }
  const sorted = yield* sortSteps(keyed, (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  for (let index = 1; index < sorted.length; index += 1) {
    const [before, after] = [sorted[index - 1], sorted[index]];
    if (!before || !after) break;
    if (before.key === after.key) {
      const kind = before.path === after.path ? 'same' : 'case';
      return { kind, path: after.path, other: before.path };
    }
    if (after.key.startsWith(`${before.key}\0`)) {
      return { kind: 'folder', path: after.path, other: before.path };
    }
    if (index % STEP_ITEMS === 0) yield;
  }
  return null;
}

/** Returns the key that two paths share when they differ only by case. */
function caseKey(path: string): string {
  return path.toLowerCase().normalize('NFC');
}
