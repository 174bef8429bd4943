import { PATH_BYTES_MAX } from '../../shared/path-rules.ts';
import { hasStackedMarks } from '../../shared/text-rules.ts';
import { collisionSteps, type PathCollision } from './collision-rules.ts';
import { sortSteps, takeSteps } from './sorting-rules.ts';

/** Why a path cannot be deployed: a stable code and its English message, which completes "it …". */
const PATH_PROBLEMS = {
  empty: 'it is empty',
  not_text: 'it is not valid Unicode text',
  stacked_marks: 'it has too many accents on one letter',
  absolute: 'it must be relative, without a leading slash or a drive',
  backslash: 'it contains a backslash',
  control: 'it contains a control character',
  empty_segment: 'it contains an empty segment between slashes',
  dot_segment: 'it contains a “.” or “..” segment',
  reserved: 'no file may be named __proto__',
  too_long: `it is longer than ${PATH_BYTES_MAX} bytes`,
} as const;

export type PathProblem = keyof typeof PATH_PROBLEMS;

/**
 * Returns the parameters of the error `unsafe_path`: English for the API, the code for the console's own
 * text.
 */
export function pathProblemParams(path: string, problem: PathProblem) {
  return { path, problem, reason: PATH_PROBLEMS[problem] };
}

const utf8 = new TextEncoder();

/** Returns the path in its stored form (NFC), or what is wrong with it. */
export function checkPath(given: string): { ok: true; path: string } | { ok: false; problem: PathProblem } {
  if (given === '') return { ok: false, problem: 'empty' };
  if (!given.isWellFormed()) return { ok: false, problem: 'not_text' };
  // Checked before normalizing, which takes long for many marks.
  if (hasStackedMarks(given)) return { ok: false, problem: 'stacked_marks' };
  const path = given.normalize('NFC');
  if (hasControlCharacter(path)) return { ok: false, problem: 'control' };
  if (path.includes('\\')) return { ok: false, problem: 'backslash' };
  // Not every reader handles this name safely as a key of a JSON object; it would disappear from the
  // manifest.
  if (path === '__proto__') return { ok: false, problem: 'reserved' };
  if (path.startsWith('/') || /^[A-Za-z]:\//.test(path)) return { ok: false, problem: 'absolute' };
  for (const segment of path.split('/')) {
    if (segment === '') return { ok: false, problem: 'empty_segment' };
    if (segment === '.' || segment === '..') return { ok: false, problem: 'dot_segment' };
  }
  if (utf8.encode(path).byteLength > PATH_BYTES_MAX) return { ok: false, problem: 'too_long' };
  return { ok: true, path };
}

/** C0, DEL and C1: none of them can be typed into an address, and some disguise a name. */
function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  }
  return false;
}

export interface ManifestFile {
  path: string;
  sha256: string;
  size: number;
}

export interface ManifestLimits {
  filesMax: number;
  fileBytesMax: number;
  versionBytesMax: number;
}

/** Why a manifest is refused; `code` is an error code. */
export interface ManifestProblem {
  code:
    | 'manifest_empty'
    | 'unsafe_path'
    | 'path_repeated'
    | 'path_collision'
    | 'path_under_file'
    | 'size_mismatch'
    | 'limit_files'
    | 'limit_file_bytes'
    | 'limit_version_bytes';
  params: Record<string, string | number>;
}

export type CheckedManifest =
  | { ok: true; files: ManifestFile[]; totalBytes: number }
  | { ok: false; problem: ManifestProblem };

/** Returns why a file of this size is refused, or null. */
export function fileSizeProblem(path: string, size: number, limits: ManifestLimits): ManifestProblem | null {
  const { fileBytesMax } = limits;
  return size > fileBytesMax ? { code: 'limit_file_bytes', params: { path, limit: fileBytesMax } } : null;
}

/** Returns why a version of this many files and bytes is refused, or null. */
export function versionSizeProblem(
  fileCount: number,
  totalBytes: number,
  { filesMax, versionBytesMax }: ManifestLimits,
): ManifestProblem | null {
  if (fileCount > filesMax) return { code: 'limit_files', params: { limit: filesMax } };
  if (totalBytes > versionBytesMax) {
    return { code: 'limit_version_bytes', params: { limit: versionBytesMax } };
  }
  return null;
}

/** Files checked in one step. */
const STEP_FILES = 64;

/**
 * Returns the files of a version with their stored paths, sorted, or the first reason to refuse them. The
 * console calls it before an upload, the server always.
 */
export function checkManifest(given: Iterable<ManifestFile>, limits: ManifestLimits): CheckedManifest {
  return takeSteps(manifestSteps(given, limits));
}

/** Does the same as {@link checkManifest} in short steps. */
export function* manifestSteps(
  given: Iterable<ManifestFile>,
  limits: ManifestLimits,
): Generator<void, CheckedManifest, undefined> {
  const refuse = (code: ManifestProblem['code'], params: ManifestProblem['params'] = {}) => ({
    ok: false as const,
    problem: { code, params },
  });
  const files: ManifestFile[] = [];
  const sizeOfHash = new Map<string, number>();
  let totalBytes = 0;
  for (const file of given) {
    const tooMany = versionSizeProblem(files.length + 1, totalBytes, limits);
    if (tooMany) return { ok: false, problem: tooMany };
    const checked = checkPath(file.path);
    if (!checked.ok) {
      return refuse('unsafe_path', pathProblemParams(shown(file.path), checked.problem));
    }
    const { path } = checked;
    const tooLarge = fileSizeProblem(path, file.size, limits);
    if (tooLarge) return { ok: false, problem: tooLarge };
    const known = sizeOfHash.get(file.sha256);
    if (known !== undefined && known !== file.size) {
      return refuse('size_mismatch', { path, actual: known, expected: file.size });
    }
    sizeOfHash.set(file.sha256, file.size);
    totalBytes += file.size;
    const tooMuch = versionSizeProblem(files.length + 1, totalBytes, limits);
    if (tooMuch) return { ok: false, problem: tooMuch };
    files.push({ path, sha256: file.sha256, size: file.size });
    if (files.length % STEP_FILES === 0) yield;
  }
  if (files.length === 0) return refuse('manifest_empty');
  const collision = yield* collisionSteps(files.map((file) => file.path));
  if (collision) return { ok: false, problem: collisionProblem(collision) };
  const sorted = yield* sortSteps(files, (a, b) => (a.path < b.path ? -1 : 1));
  return { ok: true, files: sorted, totalBytes };
}

/** Returns why two paths cannot both be in one version, as an error. */
export function collisionProblem({ kind, path, other }: PathCollision): ManifestProblem {
  if (kind === 'same') return { code: 'path_repeated', params: { path } };
  return { code: kind === 'case' ? 'path_collision' : 'path_under_file', params: { path, other } };
}

/** A path that is safe to show in an error: no control characters, limited length. */
function shown(path: string): string {
  return JSON.stringify(path.slice(0, 200)).slice(1, -1);
}
