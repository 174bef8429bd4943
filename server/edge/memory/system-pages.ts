import { closeSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type koffi from 'koffi';

/** The two calls of Linux that Node does not have. */
interface SystemCalls {
  /** memfd_create(2): returns a descriptor of a file in memory, or -1. */
  createMemoryFile(name: string, flags: number): number;
  /**
   * sendfile(2): hands pages of a file to a connection without copying them; returns how many bytes the
   * connection accepted, or -1. It never waits for pages of a file in memory.
   */
  sendFile(connection: number, file: number, position: BigInt64Array, bytes: number): number;
}

/** Children do not inherit the descriptor. */
const MFD_CLOEXEC = 1;

/** Where the next bytes begin; the system reads it synchronously. */
const from = new BigInt64Array(1);

let calls: SystemCalls | null | undefined;

/** A body in pages of the system, which go to plain connections without being copied. */
export class SystemPages {
  readonly bytes: number;
  private readonly descriptor: number;
  private isClosed = false;

  private constructor(descriptor: number, bytes: number) {
    this.descriptor = descriptor;
    this.bytes = bytes;
  }

  /** Copies a body into pages; null where the system has no such calls, or no room. */
  static hold(body: Buffer): SystemPages | null {
    calls ??= loadCalls();
    const descriptor = calls?.createMemoryFile('portage-body', MFD_CLOEXEC) ?? -1;
    if (descriptor < 0) return null;
    try {
      for (let at = 0; at < body.length; ) at += writeSync(descriptor, body, at);
      return new SystemPages(descriptor, body.length);
    } catch {
      // No memory is left for it: the body itself still is.
      closeSync(descriptor);
      return null;
    }
  }

  /**
   * Hands the bytes from a position on to a connection and returns how many it accepted: none when it is
   * full or broken, which the next ordinary write finds out, or when the pages are closed.
   */
  sendTo(connection: number, position: number): number {
    if (!calls || this.isClosed || connection < 0) return 0;
    from[0] = BigInt(position);
    return Math.max(0, calls.sendFile(connection, this.descriptor, from, this.bytes - position));
  }

  close(): void {
    if (!this.isClosed) closeSync(this.descriptor);
    this.isClosed = true;
  }
}

/** Returns null where they cannot be had: answers are copied then. */
function loadCalls(): SystemCalls | null {
  if (process.platform !== 'linux') return null;
  try {
    const { load } = createRequire(import.meta.url)('koffi') as typeof koffi;
    const library = load(null);
    return {
      createMemoryFile: library.func('int memfd_create(const char *name, unsigned int flags)'),
      sendFile: library.func('long sendfile(int to, int from, int64_t *position, size_t bytes)'),
    };
  } catch {
    return null;
  }
}
