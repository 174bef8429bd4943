import type { UploadQueue } from './upload-queue.ts';

/** The pause before each check of a storage that could not be reached. */
const LOOK_AGAIN_MS = 10_000;

/**
 * Continues what a queue could not send to the storage once that responds: while only the storage is away, nothing else on the page
 * notices that it is back.
 * @param isReachable checks whether the storage responds
 */
export function resumeWhenReachable(
  queue: Pick<UploadQueue, 'subscribe' | 'snapshot' | 'resumeFailed'>,
  isReachable: () => Promise<boolean>,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isStuck = () =>
    queue.snapshot().some(({ status, failure }) => status === 'failed' && failure === 'network');
  const look = async () => {
    if (isStuck() && (await isReachable())) queue.resumeFailed('network');
    timer = undefined;
    follow();
  };
  const follow = () => {
    if (timer === undefined && isStuck()) timer = setTimeout(() => void look(), LOOK_AGAIN_MS);
  };
  queue.subscribe(follow);
}
