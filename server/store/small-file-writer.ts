import { Worker } from 'node:worker_threads';
import { AppError } from '#server/errors.ts';
import type { SmallFile, SmallFileAnswer, SmallFileFailure } from './small-file-thread.ts';

/** Each writes ten thousand files a second and more; what takes long, the syncs, they leave to the thread pool. */
const THREADS = 2;
/** Files of one message: large enough that messages cost little, small enough that all threads have work. */
const PORTION_FILES_MAX = 128;

interface Job {
  file: SmallFile;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Writes small files durably on threads of their own. Through the usual calls each would cost the event loop five round trips to
 * the thread pool; here many share one message. Threads start with the first file and keep no process alive.
 */
export class SmallFileWriter {
  private readonly threads: WriterThread[] = [];
  private waiting: Job[] = [];
  private isScheduled = false;

  /** Resolves when the file has its name and is synced; its folder is not. @throws hash_mismatch, or what the disk says */
  write(file: SmallFile): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ file, resolve, reject });
      if (this.isScheduled) return;
      this.isScheduled = true;
      // What comes in the same turn of the loop goes in one message.
      setImmediate(() => {
        this.isScheduled = false;
        this.send();
      });
    });
  }

  private send(): void {
    const jobs = this.waiting;
    this.waiting = [];
    const size = Math.min(PORTION_FILES_MAX, Math.ceil(jobs.length / THREADS));
    for (let start = 0; start < jobs.length; start += size) {
      this.leastBusy().write(jobs.slice(start, start + size));
    }
  }

  private leastBusy(): WriterThread {
    const idle = this.threads.find((thread) => thread.fileCount === 0);
    if (idle) return idle;
    if (this.threads.length < THREADS) {
      const started = new WriterThread(() => this.threads.splice(this.threads.indexOf(started), 1));
      this.threads.push(started);
      return started;
    }
    return this.threads.reduce((least, thread) => (thread.fileCount < least.fileCount ? thread : least));
  }
}

class WriterThread {
  /** Files that are being written. */
  fileCount = 0;
  private readonly worker: Worker;
  private readonly portions = new Map<number, Job[]>();
  private nextId = 0;

  constructor(onEnd: () => void) {
    this.worker = new Worker(new URL('./small-file-thread.ts', import.meta.url), { execArgv: [] });
    this.worker.unref();
    this.worker.on('message', (answer: SmallFileAnswer) => this.finish(answer));
    const end = (error: unknown) => {
      onEnd();
      for (const jobs of this.portions.values()) for (const { reject } of jobs) reject(error);
      this.portions.clear();
    };
    this.worker.once('error', end);
    this.worker.once('exit', () => end(new Error('a thread that writes files has ended')));
  }

  write(jobs: Job[]): void {
    const id = this.nextId;
    this.nextId += 1;
    this.portions.set(id, jobs);
    this.fileCount += jobs.length;
    // Whoever waits for a file keeps the process alive until it is written.
    this.worker.ref();
    this.worker.postMessage({ id, files: jobs.map(({ file }) => file) });
  }

  private finish({ id, failures }: SmallFileAnswer): void {
    const jobs = this.portions.get(id) ?? [];
    this.portions.delete(id);
    this.fileCount -= jobs.length;
    if (this.fileCount === 0) this.worker.unref();
    for (const [index, { file, resolve, reject }] of jobs.entries()) {
      const failure = failures[index] ?? null;
      if (failure === null) resolve();
      else reject(toError(failure, file));
    }
  }
}

function toError(failure: SmallFileFailure, { sha256, path }: SmallFile): Error {
  if (failure.kind === 'error') return Object.assign(new Error(failure.message), { code: failure.code });
  return new AppError('hash_mismatch', { sha256: sha256 ?? '', path: sha256 ?? path });
}
