import { useState, useSyncExternalStore } from 'react';
import { isNotFound } from '../../../i18n/errors/read-error.ts';
import { trpc } from '../../../trpc.ts';
import { keepUploads } from './kept-uploads.ts';
import { rememberedUploads } from './remembered-uploads.ts';
import { sendObject } from './send-object.ts';
import { abandonUpload, type UploadPorts, uploadObject } from './upload-object.ts';
import { createUploadQueue, type QueuedUpload, type UploadQueue } from './upload-queue.ts';

const NONE: readonly QueuedUpload[] = [];
const REFRESH_MS = 1_000;

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
    const ports: UploadPorts = {
      async sign(key, asked) {
        return (await utils.client.storage.signObject.query({ ...ofBucket, key, ...asked })).urls;
      },
      send: sendObject,
      async exists(key) {
        try {
          await utils.client.storage.getObject.query({ ...ofBucket, key });
          return true;
        } catch (error) {
          if (isNotFound(error)) return false;
          throw error;
        }
      },
      wait,
      remembered: rememberedUploads(ofBucket.bucket_id),
    };
    return createUploadQueue({
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
  };
  const { organization_id: organizationId, bucket_id: bucketId } = ofBucket;
  const [queue] = useState(() => keepUploads({ organizationId, bucketId, bucketName }, createQueue));
  const list = useSyncExternalStore(queue.subscribe, queue.snapshot, () => NONE);
  return { ...queue, list };
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
