import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { AppError } from '#server/errors.ts';
import type { BlobHandle } from '#server/store/blob-store.ts';
import { findDamage } from './find-damage.ts';

const CONTENT = { size: 3, algorithm: 'sha256', digest: 'of the content' } as const;

const WORKING = { check: async () => undefined };

/** Reads content whose bytes cannot be read for this reason. */
function readBroken(error: Error, store = WORKING): Promise<string | null> {
  const handle: BlobHandle = {
    size: CONTENT.size,
    isLocal: false,
    read: () => Promise.reject(error),
    stream: () => new Readable({ read: (): void => void 0, construct: (done) => done(error) }),
    close: async () => undefined,
  };
  return findDamage(store, async () => handle, CONTENT, new AbortController().signal);
}

it('a store that is left alone because it does not answer is no damage', async () => {
  const error = new AppError('service_unavailable', { seconds: 5 });
  await expect(readBroken(error)).rejects.toBe(error);
});

it('content that alone cannot be read is damage', async () => {
  expect(await readBroken(new Error('a bad sector'))).toBe('stored content cannot be read (a bad sector)');
});

describe('what a disk refuses', () => {
  const refused = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  const rights = Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES' });

  it('is damage of one content while the disk takes and gives others', async () => {
    expect(await readBroken(refused)).toBe('stored content cannot be read (EIO: i/o error, read)');
    const open = () => Promise.reject(rights);
    const found = findDamage(WORKING, open, CONTENT, new AbortController().signal);
    expect(await found).toMatch(/^stored content cannot be read \(EACCES/);
  });

  it('is no damage when the disk as a whole cannot be used', async () => {
    const broken = { check: () => Promise.reject(refused) };
    await expect(readBroken(refused, broken)).rejects.toBe(refused);
  });
});
