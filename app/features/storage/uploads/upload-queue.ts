import { TransferError } from './send-object.ts';
import type { Upload } from './upload-object.ts';

/** `exists`: there is an object at the key, and the person has to decide whether to replace it. */
export type UploadStatus = 'waiting' | 'sending' | 'paused' | 'exists' | 'failed' | 'done';

/** A file being uploaded to a key. */
export interface QueuedUpload {
  readonly id: number;
  readonly key: string;
  readonly file: File;
  readonly status: UploadStatus;
  readonly sent: number;
  /** Why it failed: a code of S3, `network`, `signed_out`, or `unknown`. */
  readonly failure: string | null;
}

export interface UploadQueue {
  subscribe(listener: () => void): () => void;
  snapshot(): readonly QueuedUpload[];
  add(files: readonly Pick<Upload, 'key' | 'file'>[]): void;
  pause(id: number): void;
  /** Continues what was paused or has failed. */
  resume(id: number): void;
  /** Continues whatever has failed for this reason. */
  resumeFailed(failure: string): void;
  /** Replaces the existing object. */
  replace(id: number): void;
  /** Removes it from the list, and abandons what was sent. */
  cancel(id: number): void;
  clearDone(): void;
}

const FILES_AT_ONCE = 3;
const TELL_MS = 100;

interface Entry extends QueuedUpload {
  isReplacing: boolean;
  going: AbortController | null;
}

/**
 * Returns a queue that sends a few files at a time.
 * @param work.send sends one file,
 * @param work.abandon abandons what was sent of it,
 * @param work.onDone is called for each that is complete
 */
export function createUploadQueue(work: {
  send(upload: Upload): Promise<void>;
  abandon(upload: Pick<Upload, 'key' | 'file'>): Promise<void>;
  onDone(): void;
}): UploadQueue {
  let entries: readonly Entry[] = [];
  let nextId = 1;
  let isTelling = false;
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const set = (id: number, change: Partial<Entry>) => {
    entries = entries.map((entry) => (entry.id === id ? { ...entry, ...change } : entry));
  };
  const find = (id: number) => entries.find((entry) => entry.id === id);
  /** Progress is reported ten times a second, however many files and parts there are. */
  const tellSoon = () => {
    if (isTelling) return;
    isTelling = true;
    setTimeout(() => {
      isTelling = false;
      tell();
    }, TELL_MS);
  };
  const start = async ({ id, key, file, isReplacing }: Entry) => {
    const going = new AbortController();
    set(id, { status: 'sending', failure: null, going });
    const onBytes = (sent: number) => {
      if (going.signal.aborted) return;
      set(id, { sent: Math.min(sent, file.size) });
      tellSoon();
    };
    try {
      await work.send({ key, file, isReplacing, onBytes, signal: going.signal });
      set(id, { status: 'done', sent: file.size, going: null });
      work.onDone();
    } catch (error) {
      if (going.signal.aborted) return;
      const failure = error instanceof TransferError ? error.code : 'unknown';
      // What was sent to a key that is taken was refused: it is not part of what has arrived.
      const refused = failure === 'PreconditionFailed' ? { status: 'exists' as const, sent: 0 } : null;
      set(id, { status: 'failed', ...refused, failure, going: null });
    }
    goOn();
  };
  const goOn = () => {
    const sending = entries.filter(({ status }) => status === 'sending').length;
    const next = entries.filter(({ status }) => status === 'waiting').slice(0, FILES_AT_ONCE - sending);
    for (const entry of next) void start(entry);
    tell();
  };
  const stop = (id: number, change: Partial<Entry>) => {
    find(id)?.going?.abort();
    set(id, { going: null, ...change });
    goOn();
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    snapshot: () => entries,
    add(files) {
      const added = files.map(({ key, file }) => ({
        id: nextId++,
        key,
        file,
        status: 'waiting' as const,
        sent: 0,
        failure: null,
        isReplacing: false,
        going: null,
      }));
      const keys = new Set(added.map(({ key }) => key));
      // Of two files for one key only the later one counts, unless the other is already being sent.
      const isOpen = ({ status }: Entry) => status === 'waiting' || status === 'sending';
      entries = [...entries.filter((entry) => isOpen(entry) || !keys.has(entry.key)), ...added];
      goOn();
    },
    pause: (id) => stop(id, { status: 'paused' }),
    resume: (id) => stop(id, { status: 'waiting', failure: null }),
    resumeFailed(failure) {
      for (const entry of entries) {
        if (entry.status === 'failed' && entry.failure === failure)
          set(entry.id, { status: 'waiting', failure: null });
      }
      goOn();
    },
    replace: (id) => stop(id, { status: 'waiting', failure: null, isReplacing: true }),
    cancel(id) {
      const entry = find(id);
      if (entry === undefined) return;
      stop(id, { status: 'paused' });
      entries = entries.filter((each) => each.id !== id);
      tell();
      // The storage abandons it on its own after a week.
      if (entry.status !== 'done') work.abandon(entry).catch(() => undefined);
    },
    clearDone() {
      entries = entries.filter(({ status }) => status !== 'done');
      tell();
    },
  };
}
