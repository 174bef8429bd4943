import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import { programEnvironment } from '#tests/support/server/program-environment.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portage-private-'));
});
afterEach(() => removeFolder(dataDir));

/** Runs the program without its console, until it is ready. */
async function runOnce(): Promise<void> {
  const environment = {
    DATA_DIR: dataDir,
    ROLES: 'edge,jobs',
    EDGE_HTTP_PORT: String(await freePort()),
    EDGE_HTTPS_PORT: String(await freePort()),
    BIND_ADDRESS: '127.0.0.1',
  };
  const child = spawn(process.execPath, ['server/main.ts'], {
    env: { ...programEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  try {
    await pollUntil(
      async () => printed.includes('"role":"jobs"'),
      (isReady) => isReady,
    );
  } finally {
    await endProcess(child, 'SIGKILL');
  }
}

it('everything that the program creates is private to its user, even in a folder that everyone may read', async () => {
  await chmod(dataDir, 0o755);
  // From an earlier release: created with the mask of its user.
  await writeFile(join(dataDir, 'portage.sqlite'), '', { mode: 0o644 });
  await runOnce();
  const names = await readdir(dataDir, { recursive: true });
  expect(names).toEqual(
    expect.arrayContaining(['portage.sqlite', 'portage.sqlite-wal', 'master.key', 'blobs']),
  );
  for (const name of names) {
    const { mode } = await stat(join(dataDir, name));
    expect([name, mode & 0o077]).toEqual([name, 0]);
  }
});
