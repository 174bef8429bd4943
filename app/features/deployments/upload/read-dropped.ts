import type { PickedFile } from './picked-files.ts';

/** Dropped items: entries that may be folders, and files that the browser provides without one. */
export interface Dropped {
  entries: FileSystemEntry[];
  files: PickedFile[];
}

/**
 * Returns the content of a drop. Call it inside the event: the browser empties the list when the handler
 * returns.
 */
export function takeDropped(items: Iterable<DataTransferItem>): Dropped {
  const dropped: Dropped = { entries: [], files: [] };
  for (const item of items) {
    const entry = item.webkitGetAsEntry();
    const file = entry ? null : item.getAsFile();
    if (entry) dropped.entries.push(entry);
    if (file) dropped.files.push({ path: file.name, file });
  }
  return dropped;
}

/**
 * Returns every dropped file with its path; `onCount` is called with how many were found so far. Folders are
 * read to their end, because a browser returns their entries in portions.
 * @throws the browser's own error for a file or folder that cannot be read
 */
export async function readDropped(
  { entries, files }: Dropped,
  onCount: (count: number) => void,
  signal?: AbortSignal,
): Promise<PickedFile[]> {
  const found = [...files];
  const pending = [...entries].reverse();
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    signal?.throwIfAborted();
    if (isFile(entry)) {
      found.push({ path: entry.fullPath.replace(/^\//, ''), file: await readFile(entry) });
      onCount(found.length);
    } else if (isFolder(entry)) {
      pending.push(...(await readFolder(entry)).reverse());
    }
  }
  return found;
}

/** The two kinds of entries differ by these flags (File and Directory Entries API). */
function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function readFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (portion.length === 0) return entries;
    entries.push(...portion);
  }
}
