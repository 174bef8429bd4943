import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { withFileLock } from './file-lock.ts';

const TIMES = { beatMs: 100, staleMs: 2_000 };

async function lockPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-lock-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'dist.lock');
}

it('what a dead process left behind blocks no one, even if its process id is our own', async () => {
  const path = await lockPath();
  await writeFile(path, String(process.pid));
  expect(await withFileLock(path, async () => 'built', TIMES)).toBe('built');
  expect(existsSync(path)).toBe(false);
});

it('one works at a time, however long it takes', async () => {
  const path = await lockPath();
  let working = 0;
  let most = 0;
  const work = async (ms: number) => {
    working += 1;
    most = Math.max(most, working);
    await new Promise((resolve) => setTimeout(resolve, ms));
    working -= 1;
  };
  await Promise.all([3_000, 10, 10].map((ms) => withFileLock(path, () => work(ms), TIMES)));
  expect(most).toBe(1);
});
