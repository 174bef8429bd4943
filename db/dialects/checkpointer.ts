import { Worker } from 'node:worker_threads';
import type { CheckpointRequest } from './checkpoint-thread.ts';

/** Commits between two checkpoints: a few megabytes of log. */
const COMMITS_BETWEEN = 64;

/**
 * Copies the log of a SQLite database into the database on a separate thread. SQLite itself does it within a
 * commit, which then waits for two disk syncs, and blocks the event loop.
 */
export class Checkpointer {
  private readonly path: string;
  private commits = 0;
  private thread: Worker | null = null;
  private isRunning = false;

  constructor(path: string) {
    this.path = path;
  }

  /** Called after each commit. The thread starts when the log is long enough. */
  noteCommit(): void {
    this.commits += 1;
    if (this.commits < COMMITS_BETWEEN || this.isRunning) return;
    this.commits = 0;
    this.isRunning = true;
    this.thread ??= this.start();
    send(this.thread, 'checkpoint');
  }

  /**
   * Resolves when the thread has ended, after the checkpoint that it has begun. It ends by itself: a thread that is
   * terminated while it loads better-sqlite3 aborts the whole process.
   */
  async close(): Promise<void> {
    const { thread } = this;
    if (thread === null) return;
    this.thread = null;
    thread.ref();
    // Also after an error, which it has reported by then.
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    send(thread, 'close');
    await ended;
  }

  private start(): Worker {
    const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      workerData: this.path,
      execArgv: [],
    });
    // The thread does not keep the process alive.
    thread.unref();
    const end = () => {
      this.isRunning = false;
      if (this.thread === thread) this.thread = null;
    };
    thread.on('message', () => {
      this.isRunning = false;
    });
    // SQLite continues with its own checkpoints when the log has become long.
    thread.on('error', end);
    thread.on('exit', end);
    return thread;
  }
}

function send(thread: Worker, request: CheckpointRequest): void {
  thread.postMessage(request);
}
