import { existsSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
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

it('of many that find what a dead process left behind, one works at a time', async () => {
  const path = await lockPath();
  let working = 0;
  let most = 0;
  const work = async () => {
    working += 1;
    most = Math.max(most, working);
    await new Promise((resolve) => setTimeout(resolve, 5));
    working -= 1;
  };
  for (let round = 0; round < 5; round += 1) {
    await writeFile(path, 'left behind');
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(path, longAgo, longAgo);
    const arrive = async (turnsLater: number) => {
      for (let turn = 0; turn < turnsLater; turn += 1) await nextTurnOfLoop();
      await withFileLock(path, work, TIMES);
    };
    await Promise.all(Array.from({ length: 12 }, (_, index) => arrive(index)));
  }
  expect(most).toBe(1);
  expect(existsSync(path)).toBe(false);
});
