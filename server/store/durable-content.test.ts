import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { watchSyncs } from '#tests/support/server/watch-syncs.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import type { BlobStore } from './blob-store.ts';
import { openDirectoryStore } from './directory/directory-store.ts';

/** Too large for the threads that write small files. */
const content = Buffer.alloc(2 * 1024 ** 2, 'x');
const sha256 = createHash('sha256').update(content).digest('hex');
const size = content.byteLength;

const ways: Record<string, (store: BlobStore) => Promise<void>> = {
  put: (store) => store.put(sha256, 'identity', content, { size }),
  async 'put as one of many'(store) {
    await store.put(sha256, 'identity', content, { size, isDeferred: true });
    await store.settle();
  },
  async staged(store) {
    await (await store.stage(Readable.from([content]), { sizeMax: size })).store();
    await store.settle();
  },
  async 'kept in a bucket'({ pieces }) {
    await (await pieces.receive(Readable.from([content]), { announcedBytes: size })).keep();
  },
  async 'copied in a bucket'({ pieces }) {
    const piece = await pieces.receive(Readable.from([content]), { announcedBytes: size });
    await piece.keep();
    await pieces.copy(piece.id);
  },
};

it.each(Object.entries(ways))('content that was %s has survived a power cut', async (_, store) => {
  const folder = await makeTemporaryFolder({});
  const opened = await openDirectoryStore(folder);
  const { survives } = await watchSyncs();
  await store(opened);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const { parentPath, name } of files) expect(await survives(join(parentPath, name))).toBe(true);
});
