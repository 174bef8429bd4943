import type { EdgeFile } from './ports.ts';

/**
 * What a file takes in memory in addition to the characters of its path: measured with Node 24, rounded up.
 */
const FILE_BYTES = 256;

/**
 * The files of a version by path (no leading slash, NFC). It is filled once; after that only the encoded
 * copies of files change.
 */
export class Manifest {
  private readonly files = new Map<string, EdgeFile>();
  private readonly contentTypes = new Map<string, string>();
  private readonly notFoundLengths = new Set<number>();
  private sortedLengths: number[] | null = null;
  private longestPath = 0;
  private used = 0;

  /** Creates a manifest of these files. */
  static of(files: Iterable<readonly [string, EdgeFile]>): Manifest {
    const manifest = new Manifest();
    for (const [path, file] of files) manifest.add(path, file);
    return manifest;
  }

  get size(): number {
    return this.files.size;
  }

  /** Roughly what it takes in memory. */
  get bytes(): number {
    return this.used;
  }

  add(path: string, file: EdgeFile): void {
    // A version has few types, but each database row has its own copy.
    const contentType = this.contentTypes.get(file.contentType) ?? file.contentType;
    this.contentTypes.set(contentType, contentType);
    this.files.set(path, { ...file, contentType });
    this.used += FILE_BYTES + path.length;
    this.longestPath = Math.max(this.longestPath, path.length);
    if (path === NOT_FOUND_PAGE || path.endsWith(`/${NOT_FOUND_PAGE}`)) {
      this.notFoundLengths.add(path.length - NOT_FOUND_PAGE.length);
      this.sortedLengths = null;
    }
  }

  /**
   * Updates which encoded copies a file has. Returns whether anything changed; the file is then another
   * object.
   */
  setCopies(path: string, brotliSize: number | null, gzipSize: number | null): boolean {
    const file = this.files.get(path);
    if (file === undefined || (file.brotliSize === brotliSize && file.gzipSize === gzipSize)) return false;
    this.files.set(path, { ...file, brotliSize, gzipSize });
    return true;
  }

  get(path: string): EdgeFile | undefined {
    // Avoids hashing paths that visitors made up.
    return path.length > this.longestPath ? undefined : this.files.get(path);
  }

  /** Every path with its file. */
  entries(): IterableIterator<[string, EdgeFile]> {
    return this.files.entries();
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  /**
   * Returns the path of the nearest `404.html` above a request path, or null. Only folders that have one are
   * checked, so that the depth of a request costs nothing.
   */
  nearestNotFoundPage(requestPath: string): string | null {
    this.sortedLengths ??= [...this.notFoundLengths].sort((a, b) => b - a);
    const folderLength = requestPath.lastIndexOf('/');
    for (const length of this.sortedLengths) {
      if (length > folderLength || requestPath.charAt(length) !== '/') continue;
      const page = requestPath.slice(1, length + 1) + NOT_FOUND_PAGE;
      if (this.files.has(page)) return page;
    }
    return null;
  }
}

const NOT_FOUND_PAGE = '404.html';
