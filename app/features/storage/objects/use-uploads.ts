import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { isNotFound } from '../../../i18n/read-error.ts';
import { trpc } from '../../../trpc.ts';
import { rememberedUploads } from './remembered-uploads.ts';
import { sendObject } from './send-object.ts';
import { abandonUpload, type UploadPorts, uploadObject } from './upload-object.ts';
import { createUploadQueue, type QueuedUpload, type UploadQueue } from './upload-queue.ts';

const NONE: readonly QueuedUpload[] = [];
const REFRESH_MS = 1_000;

/** Uploads to a bucket, with their actions. */
export type Uploads = Pick<UploadQueue, 'add' | 'pause' | 'resume' | 'replace' | 'cancel' | 'clearDone'> & {
  list: readonly QueuedUpload[];
  isBusy: boolean;
};

/** Returns the uploads of this page to a bucket; they stop when the page is left. */
export function useUploads(ofBucket: { organization_id: string; bucket_id: string }): Uploads {
  const utils = trpc.useUtils();
  const refreshing = useRef<ReturnType<typeof setTimeout> | null>(null);
  const [queue] = useState(() => {
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
        refreshing.current ??= setTimeout(() => {
          refreshing.current = null;
          void utils.storage.invalidate();
        }, REFRESH_MS);
      },
    });
  });
  useEffect(() => () => queue.close(), [queue]);
  const list = useSyncExternalStore(queue.subscribe, queue.snapshot, () => NONE);
  const isBusy = list.some(({ status }) => status === 'waiting' || status === 'sending');
  return { ...queue, list, isBusy };
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
