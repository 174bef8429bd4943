import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashBlob } from './hash-blob.ts';

const reference = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('hashBlob', () => {
  it('hashes small and large content alike and counts every byte once', async () => {
    for (const size of [0, 3, 17 * 1024 * 1024 + 5]) {
      const bytes = randomBytes(size);
      let counted = 0;
      const hash = await hashBlob(new Blob([new Uint8Array(bytes)]), (portion) => {
        counted += portion;
      });
      expect(hash).toBe(reference(bytes));
      expect(counted).toBe(size);
    }
  });

  it('stops when it is aborted', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(hashBlob(new Blob(['x']), () => undefined, stopped)).rejects.toThrow('stopped');
  });
});
