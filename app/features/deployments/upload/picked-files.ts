/** A file that a person picked, with its path below the selection. */
export interface PickedFile {
  path: string;
  file: File;
}

/** The content of a picked folder. */
export interface PickedFolder {
  files: PickedFile[];
  /** How many files were left out: version control, packages and what operating systems leave behind. */
  leftOut: number;
}

const LEFT_OUT = new Set([
  '.git',
  '.svn',
  '.hg',
  'node_modules',
  '.ds_store',
  'thumbs.db',
  'desktop.ini',
  '__macosx',
]);

/**
 * Whether a file is never part of a site: version control, installed packages, or left behind by an operating
 * system.
 */
export function isLeftOut(path: string): boolean {
  return path.split('/').some((segment) => LEFT_OUT.has(segment.toLowerCase()));
}

/**
 * Returns the files of a site from a selection: without what is left out, and without a single top folder,
 * because dropping `dist` means its content.
 */
export function toPickedFolder(picked: readonly PickedFile[]): PickedFolder {
  const kept = picked.filter((file) => !isLeftOut(file.path));
  const top = commonTopFolder(kept.map((file) => file.path));
  const files = kept.map(({ path, file }) => ({
    path: top === null ? path : path.slice(top.length + 1),
    file,
  }));
  return { files, leftOut: picked.length - kept.length };
}

/**
 * Returns the first segment of all paths when they share it and none of them is a file next to it, otherwise
 * null.
 */
export function commonTopFolder(paths: readonly string[]): string | null {
  const [top, next] = paths[0]?.split('/', 2) ?? [];
  if (top === undefined || next === undefined) return null;
  return paths.every((path) => path.startsWith(`${top}/`)) ? top : null;
}
