import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import type { SmallFilePortion, SmallFileResponse } from './small-file-thread.ts';

/** Reports every sync before it begins, with the names in a folder that is synced; then it is the thread itself. */
const WATCHED = `
  const fs = require('node:fs');
  const { parentPort } = require('node:worker_threads');
  const { fsync } = fs;
  fs.fsync = (file, done) => {
    const stats = fs.fstatSync(file);
    const names = stats.isDirectory() ? fs.readdirSync('/proc/self/fd/' + file) : [];
    parentPort.postMessage({ ino: stats.ino, names });
    fsync(file, done);
  };
  require('node:module').syncBuiltinESMExports();
  import(${JSON.stringify(new URL('./small-file-thread.ts', import.meta.url).href)});
`;

/** What was synced: contents by their inode, and names in folders. */
interface Synced {
  inodes: Set<number>;
  names: Set<string>;
}

/** Has the thread write files of one byte, and returns what it answered and what it had synced by then. */
async function write(files: SmallFilePortion['files']): Promise<{ answer: SmallFileResponse } & Synced> {
  const thread = new Worker(WATCHED, { eval: true });
  onTestFinished(() => thread.terminate().then(() => undefined));
  const inodes = new Set<number>();
  const names = new Set<string>();
  const answered = new Promise<SmallFileResponse>((resolve, reject) => {
    thread.once('error', reject);
    thread.on('message', (message: SmallFileResponse | { ino: number; names: string[] }) => {
      if (Array.isArray(message)) return resolve(message);
      inodes.add(message.ino);
      for (const name of message.names) names.add(name);
    });
  });
  thread.postMessage({ files, contents: Buffer.alloc(files.length, 'x') });
  return { answer: await answered, inodes, names };
}

it('a file has its name only once its content is synced', async () => {
  const folder = await makeTemporaryFolder({});
  const sha256 = createHash('sha256').update('x').digest('hex');
  const paths = [1, 2, 3].map((number) => join(folder, `file-${number}`));
  const files = paths.map((path) => ({ temporaryPath: `${path}.tmp`, path, sha256, bytes: 1 }));
  const { answer: response, inodes } = await write(files);
  expect(response).toEqual([null, null, null]);
  for (const path of paths) expect(inodes).toContain((await stat(path)).ino);
});

it('a file that is written in its place is synced with its folder', async () => {
  const folder = await makeTemporaryFolder({});
  const paths = [1, 2, 3].map((number) => join(folder, `piece-${number}`));
  const files = paths.map((path) => ({ temporaryPath: null, path, sha256: null, bytes: 1 }));
  const { answer: response, inodes, names } = await write(files);
  expect(response).toEqual([null, null, null]);
  for (const path of paths) {
    expect(inodes).toContain((await stat(path)).ino);
    expect(names).toContain(basename(path));
  }
});
