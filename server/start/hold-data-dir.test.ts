import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endProcess } from '#tests/support/server/end-process.ts';
import { isDataDirTaken } from '../supervisor/data-dir-lock.ts';
import { SUPERVISOR_TITLE } from '../supervisor/pid-file.ts';
import { holdDataDir } from './hold-data-dir.ts';

let folder: string;
const started: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hold-data-dir-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) await endProcess(child, 'SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Starts a process that runs a script, and resolves with it and the first thing that it prints. */
async function start(script: string, ...options: string[]): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [...options, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const [chunk] = child.stdout ? await once(child.stdout, 'data') : [];
  return { child, said: String(chunk).trim() };
}

/** Starts a program with the folder. */
function startProgram(more = '', ...options: string[]) {
  return start(
    `import { holdDataDir } from './server/start/hold-data-dir.ts';
    const said = await holdDataDir(${JSON.stringify(folder)}, 0).then(() => 'runs', (error) => error.message);
    ${more}
    console.log(said);
    setInterval(() => 0, 1e6);`,
    ...options,
  );
}

describe('a start with the folder of a program that runs', () => {
  it('is refused with the folder and the process', async () => {
    const { child } = await startProgram();
    await expect(holdDataDir(folder, 0)).rejects.toThrow(`process ${child.pid} is running with ${folder}`);
    expect(isDataDirTaken(folder)).toBe(true);
  });

  it('names the container of the process', async () => {
    await startProgram();
    await writeFile(join(folder, 'program.json'), JSON.stringify({ process: 1, host: 'another' }));
    await expect(holdDataDir(folder, 0)).rejects.toThrow('process 1 on another is running with');
  });

  it('waits for one that is stopping', async () => {
    const { child } = await startProgram();
    const waiting = holdDataDir(folder);
    child.kill('SIGTERM');
    await expect(waiting).resolves.toBeUndefined();
  });

  it('is refused for as long as it runs, whatever is collected meanwhile', async () => {
    await startProgram('gc(); await new Promise((resolve) => setTimeout(resolve, 10)); gc();', '--expose-gc');
    await expect(holdDataDir(folder, 0)).rejects.toThrow('is running with');
  });

  it('at the same moment is refused to all but one', async () => {
    const programs = await Promise.all([startProgram(), startProgram(), startProgram()]);
    const said = programs.map((program) => program.said);
    expect(said.filter((each) => each === 'runs')).toHaveLength(1);
    expect(said.filter((each) => each.includes('is running with'))).toHaveLength(2);
  });
});

describe('a start with the folder of a program that was killed', () => {
  it('goes on at once', async () => {
    const { child } = await startProgram();
    await endProcess(child, 'SIGKILL');
    expect(isDataDirTaken(folder)).toBe(false);
    await expect(holdDataDir(folder, 0)).resolves.toBeUndefined();
  });

  it('goes on when another supervisor has its process id by now', async () => {
    const { child } = await start(OLD_SUPERVISOR);
    const holder = { process: child.pid, host: hostname() };
    await writeFile(join(folder, 'program.json'), JSON.stringify(holder));
    await writeFile(join(folder, 'supervisor.pid'), `${child.pid}\n`);
    await expect(holdDataDir(folder, 0)).resolves.toBeUndefined();
  });
});

/** It takes no lock. */
const OLD_SUPERVISOR = `process.title = '${SUPERVISOR_TITLE}'; console.log('runs'); setInterval(() => 0, 1e6);`;

describe('a start beside a supervisor from before the lock', () => {
  it('is refused, however often, until that one has ended', async () => {
    const { child } = await start(OLD_SUPERVISOR);
    await writeFile(join(folder, 'supervisor.pid'), `${child.pid}\n`);
    const refused = await startProgram();
    expect(refused.said).toContain(`process ${child.pid} is running with ${folder}`);
    await endProcess(refused.child, 'SIGKILL');
    const waiting = holdDataDir(folder);
    child.kill('SIGKILL');
    await expect(waiting).resolves.toBeUndefined();
  });
});

it('a folder that cannot be created stops the start with its reason', async () => {
  await expect(holdDataDir('/proc/portage', 0)).rejects.toThrow(
    'DATA_DIR cannot be used: this account cannot write to /proc/portage (ENOENT).',
  );
});

it('a lock that cannot be taken at all stops the start with its reason', async () => {
  await mkdir(join(folder, 'program.lock'));
  await expect(holdDataDir(folder, 0)).rejects.toThrow(/^DATA_DIR cannot be used: .*program\.lock/);
});
