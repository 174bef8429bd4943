import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endProcess } from '#tests/support/server/end-process.ts';
import { readPidFile, removePidFile, SUPERVISOR_TITLE, takeOverPidFile } from './pid-file.ts';

let folder: string;
let path: string;
let supervisor: ChildProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pid-file-'));
  path = join(folder, 'supervisor.pid');
  const script = `process.title = '${SUPERVISOR_TITLE}'; process.stdout.write('here'); setInterval(() => 0, 1e6)`;
  supervisor = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (supervisor.stdout) await once(supervisor.stdout, 'data');
  await writeFile(path, `${supervisor.pid}\n`);
});
afterEach(async () => {
  await endProcess(supervisor, 'SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

describe('the file of a supervisor', () => {
  it('stays while it runs, when another that was started at the same time finds its ports in use and ends', () => {
    takeOverPidFile(path);
    removePidFile(path);
    expect(readPidFile(path)).toBe(supervisor.pid);
  });

  it('is taken over once it has been killed', async () => {
    await endProcess(supervisor, 'SIGKILL');
    takeOverPidFile(path);
    expect(readPidFile(path)).toBe(process.pid);
  });
});
