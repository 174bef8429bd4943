import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HOUR_MS } from '#server/durations.ts';
import { isNodeError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';

const MIB = 1024 ** 2;

/** What is kept, and how much space each kind may take on the disk. */
const BYTES_MAX = {
  hosts: 64 * MIB,
  certificates: 96 * MIB,
  versions: 128 * MIB,
  /** When something was last changed. */
  changes: 32 * MIB,
  /** How far the log of changes has been followed, and when everything may have changed. */
  position: MIB,
} as const;

export type KnowledgeKind = keyof typeof BYTES_MAX;

/** The limit on the disk space of each kind. */
export type KnowledgeLimits = Readonly<Record<KnowledgeKind, number>>;

/** Changes with the form of what is written: a file of another form is a damaged one. */
const FORM = 'edge knowledge 1';
const MAC_LENGTH = 64;
/** A file takes whole blocks. */
const BLOCK_BYTES = 4_096;
const FILE_BYTES_MAX = 64 * MIB;
const LINES_AT_ONCE = 500;
const FILES_AT_ONCE = 16;
const UNFINISHED = '.tmp';
/** What remains when there is too much. */
const KEPT_SHARE = 0.9;

/**
 * Files that the edges of a machine share: each is written completely or not at all, and authenticated under
 * a key derived from the master key, together with its name. Nothing is synced: what a power cut damages does
 * not pass as knowledge.
 */
export class KnowledgeFolder {
  private readonly root: string;
  private readonly key: Buffer;
  private readonly limits: KnowledgeLimits;
  /** Space taken by what this process has written since it was last set to 0. */
  bytesWritten = 0;

  constructor(root: string, key: Buffer, limits: KnowledgeLimits = BYTES_MAX) {
    this.root = root;
    this.key = key;
    this.limits = limits;
  }

  /** Creates the folders. @throws when they cannot be created */
  async prepare(): Promise<void> {
    for (const kind of this.kinds()) await mkdir(join(this.root, kind), { recursive: true, mode: 0o700 });
  }

  /** Writes lines, which contain no line break, under a name; what was there is replaced. */
  async write(kind: KnowledgeKind, name: string, lines: Iterable<string>): Promise<void> {
    const unfinished = join(this.root, kind, `${newId()}${UNFINISHED}`);
    try {
      const file = await open(unfinished, 'w', 0o600);
      try {
        const mac = this.begin(kind, name);
        let bytes = MAC_LENGTH;
        for (const text of slicesOf(lines)) {
          mac.update(text);
          await file.writeFile(text);
          bytes += text.length;
          await nextTurn();
        }
        await file.writeFile(mac.digest('hex'));
        this.bytesWritten += blocksOf(bytes);
      } finally {
        await file.close();
      }
      await rename(unfinished, this.pathOf(kind, name));
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Returns the stored text, or null when there is none. @throws when it is damaged or cannot be read */
  async read(kind: KnowledgeKind, name: string): Promise<string | null> {
    const path = this.pathOf(kind, name);
    try {
      if ((await stat(path)).size > FILE_BYTES_MAX) throw new Error('The file is too large.');
      const bytes = await readFile(path);
      const body = bytes.subarray(0, -MAC_LENGTH);
      const mac = this.begin(kind, name).update(body).digest('hex');
      const written = bytes.subarray(-MAC_LENGTH);
      if (written.length !== MAC_LENGTH || !timingSafeEqual(Buffer.from(mac), written)) {
        throw new Error('The file is damaged.');
      }
      return body.toString('utf8');
    } catch (error) {
      if (isNodeError(error) && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Protects a file from eviction for now. Returns whether it exists. */
  async touch(kind: KnowledgeKind, name: string): Promise<boolean> {
    const now = Date.now() / 1000;
    try {
      await utimes(this.pathOf(kind, name), now, now);
      return true;
    } catch (error) {
      if (isNodeError(error) && error.code === 'ENOENT') return false;
      throw error;
    }
  }

  async remove(kind: KnowledgeKind, name: string): Promise<void> {
    await rm(this.pathOf(kind, name), { force: true });
  }

  /** Removes everything of a kind, which is possible on a full disk. */
  async clear(kind: KnowledgeKind): Promise<void> {
    const folder = join(this.root, kind);
    for (const name of await readdir(folder)) await rm(join(folder, name), { force: true });
  }

  /** Removes files of a kind that were not written or touched for this long, by the system's clock. */
  async removeOlder(kind: KnowledgeKind, ageMs: number): Promise<void> {
    const before = Date.now() - ageMs;
    for (const { path, touchedAt } of await this.list(kind)) {
      if (touchedAt < before) await rm(path, { force: true });
    }
  }

  /**
   * Removes what was written or touched longest ago when a kind exceeds its limit.
   * @param announce called before with the time of the newest of what is removed
   */
  async evict(
    kind: KnowledgeKind,
    announce: (newestTouchedAt: number) => Promise<void> = async () => undefined,
  ): Promise<void> {
    const files = await this.list(kind);
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes <= this.limits[kind]) return;
    files.sort((a, b) => a.touchedAt - b.touchedAt);
    const evicted: KnownFile[] = [];
    for (const file of files) {
      if (bytes <= this.limits[kind] * KEPT_SHARE) break;
      evicted.push(file);
      bytes -= file.bytes;
    }
    await announce(evicted.at(-1)?.touchedAt ?? 0);
    for (const { path } of evicted) await rm(path, { force: true });
  }

  /** Removes what a crash left unfinished. */
  async tidy(): Promise<void> {
    const before = Date.now() - HOUR_MS;
    for (const kind of this.kinds()) {
      for (const { path, touchedAt } of await this.list(kind, UNFINISHED)) {
        if (touchedAt < before) await rm(path, { force: true });
      }
    }
  }

  private kinds(): KnowledgeKind[] {
    // Object.keys loses the type of the keys.
    return Object.keys(BYTES_MAX) as KnowledgeKind[];
  }

  private async list(kind: KnowledgeKind, ending = ''): Promise<KnownFile[]> {
    const folder = join(this.root, kind);
    const names = (await readdir(folder)).filter((name) => name.endsWith(ending));
    const files: KnownFile[] = [];
    for (let start = 0; start < names.length; start += FILES_AT_ONCE) {
      const paths = names.slice(start, start + FILES_AT_ONCE).map((name) => join(folder, name));
      // Another edge may have removed one meanwhile.
      const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
      for (const [index, path] of paths.entries()) {
        const stats = found[index];
        if (stats) files.push({ path, bytes: blocksOf(stats.size), touchedAt: stats.mtimeMs });
      }
    }
    return files;
  }

  private begin(kind: KnowledgeKind, name: string) {
    return createHmac('sha256', this.key).update(`${FORM}\n${kind}\n${name}\n`);
  }

  /** Names may be as long as hostnames and contain anything. */
  private pathOf(kind: KnowledgeKind, name: string): string {
    return join(this.root, kind, createHash('sha256').update(name).digest('hex').slice(0, 32));
  }
}

interface KnownFile {
  readonly path: string;
  readonly bytes: number;
  readonly touchedAt: number;
}

function blocksOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK_BYTES)) * BLOCK_BYTES;
}

/** Joins lines to texts that can be written in one turn. */
function* slicesOf(lines: Iterable<string>): Generator<string> {
  let slice: string[] = [];
  for (const line of lines) {
    slice.push(line, '\n');
    if (slice.length < 2 * LINES_AT_ONCE) continue;
    yield slice.join('');
    slice = [];
  }
  if (slice.length > 0) yield slice.join('');
}
