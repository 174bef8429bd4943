import { revealDirection } from '../../../i18n/reveal-direction.ts';

/**
 * Returns the part of a key that a list shows: what comes after the prefix, without the slash of a folder.
 */
export function nameOf(key: string, prefix: string): string {
  return revealDirection(key.slice(prefix.length).replace(/\/$/, '')) || '/';
}

/** Returns the last part of a key: the name of the file. */
export function fileNameOf(key: string): string {
  return revealDirection(key.split('/').findLast((part) => part !== '') ?? key);
}

/** Returns the folders of a prefix, outermost first: `a/b/` gives `a/` and `a/b/`. */
export function foldersOf(prefix: string): string[] {
  const folders: string[] = [];
  for (let at = prefix.indexOf('/'); at !== -1; at = prefix.indexOf('/', at + 1)) {
    folders.push(prefix.slice(0, at + 1));
  }
  return folders;
}
