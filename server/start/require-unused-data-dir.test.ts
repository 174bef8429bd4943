import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SUPERVISOR_TITLE } from '../supervisor/pid-file.ts';
import { requireUnusedDataDir } from './require-unused-data-dir.ts';

let folder: string;
let supervisor: ChildProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unused-data-dir-'));
  const script = `process.title = '${SUPERVISOR_TITLE}'; process.stdout.write('here'); setInterval(() => 0, 1e6)`;
  supervisor = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (supervisor.stdout) await once(supervisor.stdout, 'data');
  await writeFile(join(folder, 'supervisor.pid'), `${supervisor.pid}\n`);
});
afterEach(async () => {
  supervisor.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

describe('a start with the folder of a program that is running', () => {
  it('is refused with the folder and the process', async () => {
    const start = requireUnusedDataDir(folder, join(folder, 'supervisor.pid'), 0);
    await expect(start).rejects.toThrow(`process ${supervisor.pid} is running with ${folder} already`);
  });

  it('waits for one that is stopping', async () => {
    const start = requireUnusedDataDir(folder, join(folder, 'supervisor.pid'));
    supervisor.kill('SIGKILL');
    await expect(start).resolves.toBeUndefined();
  });
});
