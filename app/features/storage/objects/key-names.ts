/** Would turn the direction of what follows: `a\u202Egnp.exe` looks like `aexe.png`. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/** Returns a part of a key as it is shown. */
const shown = (part: string) => part.replace(DIRECTION, '\ufffd');

/**
 * Returns the part of a key that a list shows: what comes after the prefix, without the slash of a folder.
 */
export function nameOf(key: string, prefix: string): string {
  return shown(key.slice(prefix.length).replace(/\/$/, '')) || '/';
}

/** Returns the last part of a key: the name of the file. */
export function fileNameOf(key: string): string {
  return shown(key.split('/').findLast((part) => part !== '') ?? key);
}

/** Returns the folders of a prefix, outermost first: `a/b/` gives `a/` and `a/b/`. */
export function foldersOf(prefix: string): string[] {
  const folders: string[] = [];
  for (let at = prefix.indexOf('/'); at !== -1; at = prefix.indexOf('/', at + 1)) {
    folders.push(prefix.slice(0, at + 1));
  }
  return folders;
}
