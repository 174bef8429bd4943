import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { resumeWhenReachable } from './resume-when-reachable.ts';
import { TransferError } from './send-object.ts';
import { createUploadQueue } from './upload-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue to a storage that is away until the test says so. */
function startQueue() {
  const storage = { isAway: true, checks: 0 };
  const queue = createUploadQueue({
    send: async () => {
      if (storage.isAway) throw new TransferError('network', 0);
    },
    abandon: async () => undefined,
    onDone: () => undefined,
  });
  resumeWhenReachable(queue, async () => {
    storage.checks += 1;
    return !storage.isAway;
  });
  queue.add([{ key: 'a', file: new File(['content'], 'a') }]);
  return { queue, storage, statuses: () => queue.snapshot().map(({ status }) => status) };
}

it('an upload goes on by itself once a storage that was away responds', async () => {
  const { storage, statuses } = startQueue();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([statuses(), storage.checks]).toEqual([['failed'], 6]);
  storage.isAway = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(statuses()).toEqual(['done']);
});

it('nothing is checked while no upload waits for the storage', async () => {
  const { queue, storage } = startQueue();
  await vi.advanceTimersByTimeAsync(5_000);
  queue.cancel(queue.snapshot()[0]?.id ?? 0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(storage.checks).toBe(0);
});
