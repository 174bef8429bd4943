import { describe, expect, it } from 'vitest';
import { TransferError } from './send-object.ts';
import type { Upload } from './upload-object.ts';
import { createUploadQueue } from './upload-queue.ts';

/** A queue whose uploads end when the test says so. */
function startQueue() {
  const sending: { upload: Upload; end: PromiseWithResolvers<void> }[] = [];
  const abandoned: string[] = [];
  const queue = createUploadQueue({
    send(upload) {
      const end = Promise.withResolvers<void>();
      sending.push({ upload, end });
      upload.signal.addEventListener('abort', () => end.reject(upload.signal.reason));
      return end.promise;
    },
    abandon: async ({ key }) => void abandoned.push(key),
    onDone: () => undefined,
  });
  const states = () => queue.snapshot().map(({ key, status }) => `${key} ${status}`);
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  return { queue, sending, abandoned, states, settle };
}
const files = (...keys: string[]) => keys.map((key) => ({ key, file: new File(['content'], key) }));

describe('the queue of uploads', () => {
  it('sends three at a time, and the next when one ends', async () => {
    const { queue, sending, states, settle } = startQueue();
    queue.add(files('a', 'b', 'c', 'd'));
    expect(states()).toEqual(['a sending', 'b sending', 'c sending', 'd waiting']);
    sending[1]?.end.resolve();
    await settle();
    expect(states()).toEqual(['a sending', 'b done', 'c sending', 'd sending']);
    queue.clearDone();
    expect(states()).toHaveLength(3);
  });

  it('pauses, resumes and cancels', async () => {
    const { queue, sending, abandoned, states, settle } = startQueue();
    queue.add(files('a'));
    const id = queue.snapshot()[0]?.id ?? 0;
    queue.pause(id);
    await settle();
    expect([states(), sending[0]?.upload.signal.aborted]).toEqual([['a paused'], true]);
    queue.resume(id);
    expect(states()).toEqual(['a sending']);
    queue.cancel(id);
    await settle();
    expect([states(), abandoned]).toEqual([[], ['a']]);
  });

  it('asks before it replaces, and says what failed', async () => {
    const { queue, sending, states, settle } = startQueue();
    queue.add(files('a', 'b'));
    sending[0]?.upload.onBytes(7);
    sending[0]?.end.reject(new TransferError('PreconditionFailed', 412));
    sending[1]?.end.reject(new TransferError('QuotaExceeded', 403));
    await settle();
    expect(states()).toEqual(['a exists', 'b failed']);
    expect(queue.snapshot()[1]?.failure).toBe('QuotaExceeded');
    // None of it arrived, so the progress does not count it.
    expect(queue.snapshot()[0]?.sent).toBe(0);
    queue.replace(queue.snapshot()[0]?.id ?? 0);
    expect(sending[2]?.upload).toMatchObject({ key: 'a', isReplacing: true });
  });

  it('continues what failed for a reason that has passed, and nothing else', async () => {
    const { queue, sending, states, settle } = startQueue();
    queue.add(files('a', 'b', 'c'));
    sending[0]?.end.reject(new TransferError('network', 0));
    sending[1]?.end.reject(new TransferError('QuotaExceeded', 403));
    await settle();
    queue.resumeFailed('network');
    expect(states()).toEqual(['a sending', 'b failed', 'c sending']);
  });

  it('sends a file chosen again for a key once', () => {
    const { queue, sending, states } = startQueue();
    queue.add(files('a'));
    queue.pause(queue.snapshot()[0]?.id ?? 0);
    queue.add(files('a'));
    expect(states()).toEqual(['a sending']);
    expect(sending).toHaveLength(2);
  });
});
