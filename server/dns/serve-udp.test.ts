import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '#tests/support/free-port.ts';
import { endProcess } from '#tests/support/server/end-process.ts';

/** A supervisor whose name server is replaced: the one before it has a single socket of its supervisor. */
const REPLACEMENT = `
  import cluster from 'node:cluster';
  import { createSocket } from 'node:dgram';
  if (cluster.isPrimary) {
    const before = cluster.fork({ PART: 'before' });
    before.once('message', () => {
      const after = cluster.fork({ PART: 'after' });
      after.once('message', () => {
        before.once('exit', () => console.log('replaced'));
        before.kill();
      });
    });
  } else if (process.env.PART === 'before') {
    const socket = createSocket('udp4');
    socket.bind(Number(process.env.PORT), '127.0.0.1', () => process.send('ready'));
  } else {
    const { serveUdp } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'serve-udp.ts')).href)});
    const place = { address: '127.0.0.1', port: Number(process.env.PORT) };
    const log = { warn() {}, error() {} };
    await serveUdp({ answerUdp: (message) => message }, place, log, { udpSockets: 4, drainMs: 0 });
    process.send('ready');
  }
`;

it('a name server takes the port of an earlier program that has a single socket', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'serve-udp-'));
  const script = join(folder, 'replacement.mjs');
  await writeFile(script, REPLACEMENT);
  const port = await freePort();
  const program: ChildProcess = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PORT: String(port) },
  });
  onTestFinished(async () => {
    await endProcess(program, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  if (program.stdout) await once(program.stdout, 'data');
  const client = createSocket('udp4');
  onTestFinished(async () => {
    client.close();
  });
  const answered = once(client, 'message');
  client.send('a query', port, '127.0.0.1');
  expect(String((await answered)[0])).toBe('a query');
});
