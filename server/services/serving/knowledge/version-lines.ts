import { setImmediate as nextTurn } from 'node:timers/promises';
import { Manifest } from '#server/edge/manifest.ts';
import type { EdgeVersion } from '#server/edge/ports.ts';

/** Lines read in one turn of the event loop. */
const LINES_AT_ONCE = 1_000;

type Head = Omit<EdgeVersion, 'files'>;
type FileLine = [string, string, number, string, number | null, number | null];

/** Yields a version as lines: what it is, then a line for each file. */
export function* versionLines({ files, ...head }: EdgeVersion): Generator<string> {
  yield JSON.stringify(head);
  for (const [path, { sha256, size, contentType, brotliSize, gzipSize }] of files.entries()) {
    const line: FileLine = [path, sha256, size, contentType, brotliSize, gzipSize];
    yield JSON.stringify(line);
  }
}

/** Returns the version of lines that `versionLines` has made; other work runs between slices of a large one. */
export async function readVersion(text: string): Promise<EdgeVersion> {
  const [first = '', ...lines] = text.trimEnd().split('\n');
  const files = new Manifest();
  for (const [index, line] of lines.entries()) {
    const [path, sha256, size, contentType, brotliSize, gzipSize] = asFile(JSON.parse(line));
    files.add(path, { sha256, size, contentType, brotliSize, gzipSize });
    if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) await nextTurn();
  }
  return { ...asHead(JSON.parse(first)), files };
}

/** Safe: the file that both come from is authenticated, and its form is part of that. */
const asHead = (parsed: unknown) => parsed as Head;
const asFile = (parsed: unknown) => parsed as FileLine;
