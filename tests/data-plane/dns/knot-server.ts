import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#tests/support/free-port.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { ensureDebianPackages } from '#tests/support/runner/debian-packages.ts';
import { endProcess } from '#tests/support/server/end-process.ts';

/** A real third-party name server: Knot, with one zone that one key may update. */
export interface KnotServer {
  port: number;
  /** For DNS_UPDATE_URL. */
  updateUrl: string;
  close(): Promise<void>;
}

const KEY_NAME = 'portage.example';
/** Contains the base64 characters that have a meaning in addresses. */
const SECRET = Buffer.from(
  'fbefbeffffefbefbeffbefbefbefbefbefbefbefbefbefbefbefbefbefbefbff',
  'hex',
).toString('base64');

/** Starts Knot with an empty zone of this name. */
export async function startKnot(zone: string): Promise<KnotServer> {
  ensureDebianPackages(['knot']);
  const folder = await mkdtemp(join(tmpdir(), 'portage-knot-'));
  const port = await freePort();
  for (const name of ['run', 'database']) await mkdir(join(folder, name));
  await writeFile(
    join(folder, 'zone'),
    `$ORIGIN ${zone}.\n@ 3600 SOA ns1.${zone}. hostmaster.${zone}. 1 3600 600 604800 0\n@ 3600 NS ns1.${zone}.\nns1 A 127.0.0.1\n`,
  );
  await writeFile(
    join(folder, 'knot.conf'),
    `server:
  rundir: "${folder}/run"
  listen: "127.0.0.1@${port}"
database:
  storage: "${folder}/database"
log:
  - target: stderr
    any: info
key:
  - id: ${KEY_NAME}
    algorithm: hmac-sha256
    secret: ${SECRET}
  - id: other.example
    algorithm: hmac-sha256
    secret: ${SECRET}
acl:
  - id: update
    key: ${KEY_NAME}
    action: update
zone:
  - domain: ${zone}
    storage: "${folder}"
    file: zone
    acl: update
`,
  );
  const child = spawn('/usr/sbin/knotd', ['-c', join(folder, 'knot.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const close = async () => {
    await endProcess(child, 'SIGTERM');
    await removeFolder(folder);
  };
  try {
    await untilStarted(child);
  } catch (error) {
    await close();
    throw error;
  }
  return { port, updateUrl: `dns://${KEY_NAME}:${SECRET}@127.0.0.1:${port}`, close };
}

function untilStarted(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes('server started')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`knotd ended:\n${printed}`)));
  });
}
