import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { AppError } from '#server/errors.ts';
import type { BlobHandle } from '#server/store/blob-store.ts';
import { findDamage } from './find-damage.ts';

const CONTENT = { size: 3, algorithm: 'sha256', digest: 'of the content' } as const;

/** Reads content whose bytes cannot be read for this reason. */
function readBroken(error: Error): Promise<string | null> {
  const handle: BlobHandle = {
    size: CONTENT.size,
    isLocal: false,
    read: () => Promise.reject(error),
    stream: () => new Readable({ read: (): void => void 0, construct: (done) => done(error) }),
    close: async () => undefined,
  };
  return findDamage(handle, CONTENT, new AbortController().signal);
}

it('a store that is left alone because it does not answer is no damage', async () => {
  const error = new AppError('service_unavailable', { seconds: 5 });
  await expect(readBroken(error)).rejects.toBe(error);
});

it('content that alone cannot be read is damage', async () => {
  expect(await readBroken(new Error('a bad sector'))).toBe('stored content cannot be read (a bad sector)');
});
