import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** One value import (`import type` is ignored): its file, and what it imports, both relative to the root. */
export interface ValueImport {
  file: string;
  target: string;
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\b)([^'";]*?)\s*from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;

/** Returns every source file below a folder, as paths relative to the root. */
export function listSources(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/**
 * Returns the value imports of one file; packages keep their name, files become paths relative to the root.
 */
export function listValueImports(root: string, file: string): ValueImport[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(IMPORT)]
    .filter((match) => !isTypeOnly(match[1] ?? ''))
    .map((match) => match[2] ?? match[3] ?? match[4] ?? '')
    .map((specifier) => ({ file, target: resolveSpecifier(file, specifier) }));
}

/** `import { type A, type B }` imports no value. */
function isTypeOnly(clause: string): boolean {
  const names = /^\{([\s\S]*)\}$/.exec(clause.trim())?.[1];
  if (names === undefined) return false;
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .every((name) => name.startsWith('type '));
}

function resolveSpecifier(file: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (specifier.startsWith('.')) return join(dirname(file), specifier).split(sep).join('/');
  return `package:${specifier}`;
}
