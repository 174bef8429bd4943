import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isDataDirTaken } from '#server/supervisor/data-dir-lock.ts';
import { readPidFile } from '#server/supervisor/pid-file.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { childProcesses } from '#tests/support/server/child-processes.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import { programEnvironment } from '#tests/support/server/program-environment.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

/** Starts a name server under a supervisor, and resolves once the supervisor has taken its folder. */
async function beginStart(): Promise<{ child: ChildProcess; dataDir: string; output: () => string }> {
  const dataDir = join(await makeTemporaryFolder({}), 'data');
  const child = spawn(process.execPath, ['server/main.ts'], {
    env: {
      ...programEnvironment(),
      NODE_ENV: 'production',
      PROCESSES: 'auto',
      ROLES: 'dns',
      BIND_ADDRESS: '127.0.0.1',
      DNS_PORT: String(await freePort()),
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => endProcess(child, 'SIGKILL').then(() => undefined));
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await pollUntil(
    async () => isDataDirTaken(dataDir),
    (isTaken) => isTaken,
  );
  return { child, dataDir, output: () => printed };
}

async function untilReady(output: () => string): Promise<void> {
  await pollUntil(
    async () => output(),
    (text) => text.includes('"role":"dns"'),
  );
}

/** Resolves with the id of a child whose command line ends so, as soon as there is one. */
async function findChild(parent: number, ending: string): Promise<number> {
  for (;;) {
    const found = listChildren(parent).find(([title]) => title.endsWith(ending));
    if (found) return found[1];
    await sleep(1);
  }
}

/** Nothing, when one ends meanwhile. */
function listChildren(parent: number): [string, number][] {
  try {
    return [...childProcesses(parent)];
  } catch {
    return [];
  }
}

describe('while the program starts', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s ends it as one that is done', async (signal) => {
    const { child } = await beginStart();
    const ended = once(child, 'exit');
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
  });

  it('a signal to reload replaces its processes once they run', async () => {
    const { child, output } = await beginStart();
    child.kill('SIGHUP');
    await pollUntil(
      async () => output(),
      (text) => text.includes('every process was replaced'),
    );
    expect(await endProcess(child, 'SIGTERM')).toBe(0);
    expect(output()).not.toContain('"level":50');
  });

  it.each(['prepare-start.js', 'dns,housekeeper'])(
    'a signal to reload that ends %s at its beginning does not end the start',
    async (begun) => {
      const { child, output } = await beginStart();
      process.kill(await findChild(child.pid ?? 0, begun), 'SIGHUP');
      await untilReady(output);
      expect(await endProcess(child, 'SIGTERM')).toBe(0);
      expect(output()).not.toContain('"level":50');
    },
  );
});

it('a start on a full disk goes on, and names its supervisor once there is room', async () => {
  const { child, dataDir, output } = await beginStart();
  const pidFile = join(dataDir, 'supervisor.pid');
  await symlink('/dev/full', `${pidFile}.tmp`);
  await untilReady(output);
  await pollUntil(
    async () => readPidFile(pidFile),
    (id) => id === child.pid,
  );
  expect(output()).toContain('the file of the supervisor cannot be written yet');
  expect(await endProcess(child, 'SIGTERM')).toBe(0);
});
