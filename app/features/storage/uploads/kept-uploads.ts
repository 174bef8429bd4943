import { useSyncExternalStore } from 'react';
import type { UploadQueue } from './upload-queue.ts';

/** Uploads to a bucket, and what leads back to it. */
export interface KeptUploads {
  readonly organizationId: string;
  readonly bucketId: string;
  readonly bucketName: string;
  readonly queue: UploadQueue;
}

const NONE: readonly KeptUploads[] = [];
let kept = NONE;
const listeners = new Set<() => void>();

/** Returns the uploads of this tab to a bucket, which go on while other pages of the console are open. */
export function keepUploads(of: Omit<KeptUploads, 'queue'>, create: () => UploadQueue): UploadQueue {
  // A page that the server renders sends nothing, and its memory is everybody's.
  if (typeof window === 'undefined') return create();
  const known = kept.find(({ bucketId }) => bucketId === of.bucketId);
  if (known !== undefined) return known.queue;
  const queue = create();
  kept = [...kept, { ...of, queue }];
  // Pages ask while they are rendered, when nothing else may be rendered anew.
  queueMicrotask(() => {
    for (const listener of listeners) listener();
  });
  return queue;
}

/** Returns all uploads of this tab, by bucket. */
export function useKeptUploads(): readonly KeptUploads[] {
  return useSyncExternalStore(
    subscribe,
    () => kept,
    () => NONE,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
