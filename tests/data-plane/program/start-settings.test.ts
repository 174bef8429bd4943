import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { migrateDatabase } from '#db/migrate.ts';
import { freePort } from '#tests/support/free-port.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { programEnvironment } from '#tests/support/server/program-environment.ts';
import { startTestServer } from '#tests/support/server/test-server.ts';

let folder: string;
let held: Server;
let heldPort: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-settings-'));
  await writeFile(join(folder, 'file'), '');
  await mkdir(join(folder, 'directory.env'));
  held = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => held.once('listening', resolve));
  heldPort = (held.address() as { port: number }).port;
  const newer = join(folder, 'newer.sqlite');
  await migrateDatabase(`sqlite:${newer}`);
  const db = openDatabase(`sqlite:${newer}`);
  await db
    .insertInto('kysely_migration' as never)
    .values({ name: '9999-later', timestamp: '2030-01-01T00:00:00.000Z' } as never)
    .execute();
  await db.destroy();
});
afterAll(async () => {
  held.close();
  await removeFolder(folder);
});

/** Starts the program, which must end immediately. Returns its exit code and its last line for people. */
async function startAndEnd(settings: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const ports = ['CONSOLE_PORT', 'EDGE_HTTP_PORT', 'EDGE_HTTPS_PORT', 'DNS_PORT', 'S3_PORT'];
  const free = await Promise.all(ports.map(async (name) => [name, String(await freePort())] as const));
  const child = spawn(process.execPath, ['server/main.ts'], {
    env: {
      ...programEnvironment(),
      NODE_ENV: 'production',
      DATA_DIR: join(folder, 'data'),
      BIND_ADDRESS: '127.0.0.1',
      LOG_LEVEL: 'warn',
      ...Object.fromEntries(free),
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { code, said: said.trim().split('\n').at(-1) ?? '' };
}

describe('an impossible start', () => {
  it.each([
    [
      'a file of settings that is not there',
      () => ({ ENV_FILE: join(folder, 'none') }),
      /^ENV_FILE cannot .*none .*ENOENT/,
    ],
    [
      'one that is a folder',
      () => ({ ENV_FILE: join(folder, 'directory.env') }),
      /^ENV_FILE cannot .*directory\.env/,
    ],
    [
      'a folder of data below a file',
      () => ({ DATA_DIR: join(folder, 'file/data') }),
      /^DATA_DIR cannot .*file\/data/,
    ],
    [
      'a database that does not answer',
      () => ({ DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' }),
      /^DATABASE_URL cannot .*ECONNREFUSED/,
    ],
    [
      'a schema of a newer program',
      () => ({ DATABASE_URL: `sqlite:${join(folder, 'newer.sqlite')}` }),
      /^DATABASE_URL cannot .*9999-later/,
    ],
    [
      'a port that is taken',
      () => ({ CONSOLE_PORT: String(heldPort) }),
      /^CONSOLE_PORT cannot .*another program/,
    ],
    [
      'the port of the edge that is taken',
      () => ({ EDGE_HTTP_PORT: String(heldPort) }),
      /^EDGE_HTTP_PORT cannot/,
    ],
    ['an address of another machine', () => ({ BIND_ADDRESS: '192.0.2.1' }), /^BIND_ADDRESS cannot/],
    [
      'an address of another machine for one role',
      () => ({ CONSOLE_BIND_ADDRESS: '192.0.2.1', ROLES: 'console' }),
      /^CONSOLE_BIND_ADDRESS cannot/,
    ],
    [
      'an address that is none',
      () => ({ BIND_ADDRESS: 'nowhere.invalid', ROLES: 'edge' }),
      /^BIND_ADDRESS cannot .*no such address/,
    ],
  ])('says in one sentence what to do about %s', async (_, settings, sentence) => {
    const { code, said } = await startAndEnd(settings());
    expect(said).toMatch(sentence);
    expect(code).toBe(1);
  });
});

it('settings come from a file, the environment takes precedence, and a misspelled name is reported', async () => {
  const file = join(folder, 'good.env');
  await writeFile(file, 'PRODUCT_NAME=Hivernage\nLIMIT_SITES=7\nLIMIT_SITE=8\n');
  const server = await startTestServer({ ENV_FILE: file, LIMIT_SITES: '9' });
  try {
    const page = await (await fetch(`${server.consoleUrl}/login`)).text();
    expect(page).toContain('Hivernage');
    expect(server.output()).toContain(
      'LIMIT_SITE is not a setting and has no effect. The closest one is LIMIT_SITES.',
    );
  } finally {
    await server.close();
  }
});
