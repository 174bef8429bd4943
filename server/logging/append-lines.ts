import { open } from 'node:fs';
import { promisify } from 'node:util';
import { destination } from 'pino';
import { isNodeError } from '../errors.ts';
import { createLogThrottle } from './log-throttle.ts';

/** Lines at the end of a file or of the standard output, which nothing waits for. */
export interface AppendedLines {
  /** Never throws; a line that cannot be kept is dropped. */
  write(line: string): void;
  /** Writes what is waiting, as far as the disk or the reader takes it now. */
  close(): Promise<void>;
}

interface AppendedLinesParts {
  /** Null for the standard output. */
  file: string | null;
  onDrop(): void;
  /** Called at most once a minute for each reason. */
  onError(error: Error): void;
}

/**
 * As much as a pipe accepts at once, so that lines of several processes are not interleaved. A line is
 * shorter.
 */
const WRITE_BYTES = 4_096;
/** What may wait for a slow disk or reader. */
const WAITING_BYTES_MAX = 4 * 1024 ** 2;
const STDOUT = 1;
/** How often a file that could not be opened is tried again. */
const OPEN_EVERY_MS = 10_000;

const openFile = promisify(open);

/** Opens lines to append to. A file that cannot be opened, as in a missing folder, is opened once it can be. */
export async function appendLines({ file, onDrop, onError }: AppendedLinesParts): Promise<AppendedLines> {
  const mayTell = createLogThrottle(() => performance.now());
  let stream: ReturnType<typeof destination> | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let hasReader = true;
  let isClosed = false;
  const tell = (error: Error) => {
    const code = isNodeError(error) ? (error.code ?? '') : error.message;
    if (code === 'EPIPE') hasReader = false;
    if (mayTell(code)) onError(error);
  };
  const begin = async () => {
    // Also a file system that does not respond is asked only once.
    triedAt = Number.POSITIVE_INFINITY;
    try {
      // The stream itself would throw at each line, and never close, if it could not open the file.
      const dest = file === null ? STDOUT : await openFile(file, 'a', 0o600);
      stream = destination({
        dest,
        sync: false,
        maxWrite: WRITE_BYTES,
        maxLength: WAITING_BYTES_MAX,
        // A full disk or a missing reader costs lines, never requests.
        retryEAGAIN: () => true,
      });
      stream.on('drop', onDrop);
      stream.on('error', tell);
    } catch (error) {
      tell(error instanceof Error ? error : new Error(String(error)));
    }
    triedAt = performance.now();
  };
  await begin();
  return {
    write(line) {
      if (stream !== null && !isClosed) stream.write(line);
      else onDrop();
      if (stream === null && !isClosed && performance.now() - triedAt >= OPEN_EVERY_MS) void begin();
    },
    close() {
      isClosed = true;
      const closing = stream;
      // Without a reader there is no end.
      if (closing === null || !hasReader) return Promise.resolve();
      return new Promise((resolve) => {
        closing.once('close', resolve);
        // What a full disk does not take now is lost: otherwise the end of the process would wait for it.
        closing.once('error', () => closing.destroy());
        closing.end();
      });
    },
  };
}
