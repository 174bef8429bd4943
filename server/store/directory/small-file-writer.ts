import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { AppError } from '#server/errors.ts';
import type {
  SmallFile,
  SmallFileFailure,
  SmallFilePortion,
  SmallFileResponse,
} from './small-file-thread.ts';

/** Each writes ten thousand files per second or more; while one waits for a sync, the other writes. */
const THREADS = 2;
/** Files per message, which share one sync: enough to be worth it, few enough that all threads have work. */
const PORTION_FILES_MIN = 128;
const PORTION_FILES_MAX = 1000;
/** Files reported in one turn of the event loop: what waits for each starts its next work immediately. */
const REPORTED_AT_ONCE = 40;

interface Job {
  file: SmallFile;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Writes small files durably on separate threads. With the usual calls each would cost the event loop five
 * round trips to the thread pool; here many share one message. Threads start with the first file and do not
 * keep the process alive.
 */
export class SmallFileWriter {
  private readonly threads: WriterThread[] = [];
  /** By client, the one whose turn is next first. */
  private readonly waiting = new Map<string, Job[]>();
  private waitingCount = 0;
  private isScheduled = false;

  /**
   * Resolves when the file has its name and is synced. Its folder is synced too where the file is written in its place.
   * @param client clients share each message: one that brings thousands of files does not delay another's single file
   * @throws hash_mismatch, or the disk's error
   */
  write(file: SmallFile, client = ''): Promise<void> {
    return new Promise((resolve, reject) => {
      const job = { file, resolve, reject };
      const jobs = this.waiting.get(client);
      if (jobs) jobs.push(job);
      else this.waiting.set(client, [job]);
      this.waitingCount += 1;
      this.schedule();
    });
  }

  /**
   * What arrives in the same turn of the event loop, and while all threads are busy, is sent in one message.
   */
  private schedule(): void {
    if (this.isScheduled || this.waitingCount === 0) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.send();
    });
  }

  private send(): void {
    const share = Math.ceil(this.waitingCount / THREADS);
    const size = Math.min(PORTION_FILES_MAX, Math.max(PORTION_FILES_MIN, share));
    while (this.waitingCount > 0) {
      const thread = this.findIdle();
      if (thread === null) return;
      thread.write(this.take(size));
    }
  }

  /** Returns the next files, the same number of each client as far as it has them. */
  private take(size: number): Job[] {
    const taken: Job[] = [];
    while (taken.length < size && this.waiting.size > 0) {
      const each = Math.max(1, Math.floor((size - taken.length) / this.waiting.size));
      for (const [client, jobs] of [...this.waiting]) {
        if (taken.length >= size) break;
        taken.push(...jobs.splice(0, each));
        // To the end of the round, or out of it.
        this.waiting.delete(client);
        if (jobs.length > 0) this.waiting.set(client, jobs);
      }
    }
    this.waitingCount -= taken.length;
    return taken;
  }

  private findIdle(): WriterThread | null {
    const idle = this.threads.find((thread) => thread.isIdle);
    if (idle) return idle;
    if (this.threads.length >= THREADS) return null;
    const started = new WriterThread(
      () => this.schedule(),
      () => this.threads.splice(this.threads.indexOf(started), 1),
    );
    this.threads.push(started);
    return started;
  }
}

class WriterThread {
  private readonly worker: Worker;
  private readonly onIdle: () => void;
  private jobs: Job[] = [];

  constructor(onIdle: () => void, onEnd: () => void) {
    this.onIdle = onIdle;
    this.worker = new Worker(new URL('./small-file-thread.ts', import.meta.url), { execArgv: [] });
    this.worker.unref();
    this.worker.on('message', (response: SmallFileResponse) => this.finish(response));
    const end = (error: unknown) => {
      onEnd();
      for (const { reject } of this.jobs.splice(0)) reject(error);
      onIdle();
    };
    this.worker.once('error', end);
    this.worker.once('exit', () => end(new Error('a thread that writes files has ended')));
  }

  get isIdle(): boolean {
    return this.jobs.length === 0;
  }

  write(jobs: Job[]): void {
    this.jobs = jobs;
    // The process stays alive until the files are written.
    this.worker.ref();
    const portion = joinFiles(jobs.map(({ file }) => file));
    this.worker.postMessage(portion, [portion.contents.buffer]);
  }

  private finish(failures: SmallFileResponse): void {
    const { jobs } = this;
    this.jobs = [];
    this.worker.unref();
    this.onIdle();
    void report(jobs, failures);
  }
}

/**
 * Returns the message for files. A separate buffer would be copied together with the larger buffer that it
 * may be a part of.
 */
function joinFiles(files: readonly SmallFile[]): SmallFilePortion {
  const contents = new Uint8Array(files.reduce((sum, { content }) => sum + content.byteLength, 0));
  let end = 0;
  const named = files.map(({ content, ...name }) => {
    contents.set(content, end);
    end += content.byteLength;
    return { ...name, bytes: content.byteLength };
  });
  return { files: named, contents };
}

async function report(jobs: readonly Job[], failures: SmallFileResponse): Promise<void> {
  for (const [index, { file, resolve, reject }] of jobs.entries()) {
    if (index > 0 && index % REPORTED_AT_ONCE === 0) await nextTurn();
    const failure = failures[index] ?? null;
    if (failure === null) resolve();
    else reject(toError(failure, file));
  }
}

function toError(failure: SmallFileFailure, { sha256, path }: SmallFile): Error {
  if (failure.kind === 'error') return Object.assign(new Error(failure.message), { code: failure.code });
  return new AppError('hash_mismatch', { sha256: sha256 ?? '', path: sha256 ?? path });
}
