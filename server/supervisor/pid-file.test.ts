import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endProcess } from '#tests/support/server/end-process.ts';
import { findSupervisor, readPidFile, removePidFile, SUPERVISOR_TITLE, writePidFile } from './pid-file.ts';

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
  it('stays when another one that ends has not written it', () => {
    removePidFile(path);
    expect(findSupervisor(path)).toBe(supervisor.pid);
  });

  it('takes the room of an earlier one on a full disk', async () => {
    await writeFile(path, '123456789012\n');
    await symlink('/dev/full', `${path}.tmp`);
    writePidFile(path);
    expect(readPidFile(path)).toBe(process.pid);
    expect(await readdir(folder)).toEqual(['supervisor.pid']);
  });

  it('names nobody once it has been killed', async () => {
    await endProcess(supervisor, 'SIGKILL');
    expect(findSupervisor(path)).toBeNull();
  });

  it('names nobody when its process id belongs to another program', async () => {
    await writeFile(path, `${process.pid}\n`);
    expect(findSupervisor(path)).toBeNull();
  });
});
