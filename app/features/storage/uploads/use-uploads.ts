import { useState, useSyncExternalStore } from 'react';
import { addUnsavedWork } from '../../../components/forms/add-unsaved-work.ts';
import { onServerBack, watchForServer } from '../../../components/lazy-parts/server-watch.ts';
import { readError } from '../../../i18n/errors/read-error.ts';
import { trpc } from '../../../trpc.ts';
import { onSignIn } from '../../sign-in/ended-session.ts';
import { failAsTransfer } from './fail-as-transfer.ts';
import { keepUploads } from './kept-uploads.ts';
import { rememberedUploads } from './remembered-uploads.ts';
import { resumeWhenReachable } from './resume-when-reachable.ts';
import { sendObject, TransferError } from './send-object.ts';
import { abandonUpload, type UploadPorts, uploadObject } from './upload-object.ts';
import { createUploadQueue, type QueuedUpload, type UploadQueue } from './upload-queue.ts';
import { totalsOf } from './upload-totals.ts';

const NONE: readonly QueuedUpload[] = [];
const REFRESH_MS = 1_000;
/** A storage that has not responded by then counts as unreachable. */
const RESPONSE_MS = 10_000;

/** Uploads to a bucket, with their actions. */
export type Uploads = Pick<UploadQueue, 'add' | 'pause' | 'resume' | 'replace' | 'cancel' | 'clearDone'> & {
  list: readonly QueuedUpload[];
};

/** Returns the uploads of this tab to a bucket, whichever of its pages began them. */
export function useUploads(
  ofBucket: { organization_id: string; bucket_id: string },
  bucketName: string,
): Uploads {
  const utils = trpc.useUtils();
  const createQueue = () => {
    let isRefreshing = false;
    /** The origin of the storage, if that is what could not be reached last. */
    let unreached: string | null = null;
    const failOfConsole = (error: unknown): never => {
      unreached = null;
      return failAsTransfer(error);
    };
    const ports: UploadPorts = {
      async sign(key, asked) {
        const signed = await utils.client.storage.signObject
          .query({ ...ofBucket, key, ...asked })
          .catch(failOfConsole);
        return signed.urls;
      },
      send: (request) =>
        sendObject(request).catch((error: unknown) => {
          if (error instanceof TransferError && error.code === 'network') {
            unreached = new URL(request.url).origin;
            watchForServer();
          }
          throw error;
        }),
      async sizeOf(key) {
        try {
          return (await utils.client.storage.getObject.query({ ...ofBucket, key })).size;
        } catch (error) {
          return readError(error)?.code === 'object_not_found' ? null : failOfConsole(error);
        }
      },
      wait,
      remembered: rememberedUploads(ofBucket.bucket_id),
    };
    const queue = createUploadQueue({
      send: (upload) => uploadObject(ports, upload),
      abandon: (upload) => abandonUpload(ports, upload),
      // Many small files arrive per second; the list is read once for them.
      onDone: () => {
        if (isRefreshing) return;
        isRefreshing = true;
        setTimeout(() => {
          isRefreshing = false;
          void utils.storage.invalidate();
        }, REFRESH_MS);
      },
    });
    goOnWhenPossible(queue);
    resumeWhenReachable(queue, async () => unreached !== null && responds(unreached));
    return queue;
  };
  const { organization_id: organizationId, bucket_id: bucketId } = ofBucket;
  const [queue] = useState(() => keepUploads({ organizationId, bucketId, bucketName }, createQueue));
  const list = useSyncExternalStore(queue.subscribe, queue.snapshot, () => NONE);
  return { ...queue, list };
}

/**
 * Continues the uploads of a queue, which lasts as long as the tab, once the server or the session is back: until then the page does
 * not load itself again.
 */
function goOnWhenPossible(queue: UploadQueue): void {
  if (typeof window === 'undefined') return;
  addUnsavedWork(() => {
    const { isBusy, stuck } = totalsOf(queue.snapshot());
    return isBusy || stuck > 0;
  });
  onServerBack((wasAway) => wasAway && queue.resumeFailed('network'));
  onSignIn(() => queue.resumeFailed('signed_out'));
}

/** Whether another origin responds, whatever it says. */
function responds(origin: string): Promise<boolean> {
  const request = fetch(origin, {
    mode: 'no-cors',
    cache: 'no-store',
    signal: AbortSignal.timeout(RESPONSE_MS),
  });
  return request.then(
    () => true,
    () => false,
  );
}

/** A pause, which ends early when a server that was away is back. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      forget();
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    const forget = onServerBack((wasAway) => wasAway && end());
    signal.addEventListener('abort', end);
  });
}
