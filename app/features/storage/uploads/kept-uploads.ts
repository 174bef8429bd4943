import { createPageFact } from '../../../page-fact.ts';
import type { UploadQueue } from './upload-queue.ts';

/** Uploads to a bucket, and what leads back to it. */
export interface KeptUploads {
  readonly organizationId: string;
  readonly bucketId: string;
  readonly bucketName: string;
  readonly queue: UploadQueue;
}

const kept: KeptUploads[] = [];
const shown = createPageFact<readonly KeptUploads[]>([]);

/** Returns all uploads of this tab, by bucket. */
export const useKeptUploads = shown.use;

/** Returns the uploads of this tab to a bucket, which go on while other pages of the console are open. */
export function keepUploads(of: Omit<KeptUploads, 'queue'>, create: () => UploadQueue): UploadQueue {
  // A page that the server renders sends nothing, and its memory is everybody's.
  if (typeof window === 'undefined') return create();
  const known = kept.find(({ bucketId }) => bucketId === of.bucketId);
  if (known !== undefined) return known.queue;
  const queue = create();
  kept.push({ ...of, queue });
  // Pages ask while they are rendered, when nothing else may be rendered anew.
  queueMicrotask(() => shown.set([...kept]));
  return queue;
}
