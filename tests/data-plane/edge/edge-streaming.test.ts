import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, open } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import type { BlobHandle } from '#server/edge/ports.ts';
import { freePort } from '#tests/support/free-port.ts';
import { holdEventLoop } from '#tests/support/hold-event-loop.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { ask, RawConnection, requestText } from './edge-client.ts';
import { countedHandle, MemoryPorts, startEdge, type TestEdge } from './edge-fixture.ts';

let running: TestEdge | null = null;

afterEach(async () => {
  await running?.edge.close();
  running = null;
});

const mebibyte = 1024 * 1024;

/** Headers that choose the fast path, and Node. */
const paths: Record<string, string>[] = [{}, { Connection: 'keep-alive, x' }];

/** An edge with one large file, reporting how many handles on it are open and how much was read. */
async function largeFile(
  limits: Parameters<typeof startEdge>[1] = {},
  bytes = Buffer.alloc(64 * mebibyte, 'large '),
  change: (handle: BlobHandle) => BlobHandle = (handle) => handle,
) {
  const ports = new MemoryPorts();
  ports.addVersion('v1', { 'large.bin': bytes, 'small.txt': 'small' });
  ports.point('site.test', 'v1');
  const counts = { open: 0, opened: 0, read: 0 };
  const sha256 = ports.versions.get('v1')?.files.get('large.bin')?.sha256;
  ports.blobs.set(`${sha256} identity`, () => change(countedHandle(bytes, counts)));
  running = await startEdge(ports, limits);
  return { ports, counts, ...running };
}

describe('a large file', () => {
  test('of 192 MiB streams to three clients in flat memory', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edge-large-'));
    // Twice the memory that it may take: one copy of the file would be noticed.
    const size = 192 * mebibyte;
    let edge: ChildProcess | null = null;
    try {
      const file = await open(join(folder, 'large.bin'), 'w');
      await file.truncate(size);
      await file.close();
      const port = await freePort();
      const script = join(import.meta.dirname, '../../bench/edge-server.ts');
      const server = spawn(process.execPath, [script, String(port), folder, `large.bin=${size}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      edge = server;
      await once(server.stdout, 'data');
      await download(port, 4 * mebibyte);
      const before = residentBytes(server.pid);
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, residentBytes(server.pid));
      }, 50);
      const received = await Promise.all(Array.from({ length: 3 }, () => download(port, size)));
      clearInterval(watch);
      expect(received).toEqual(Array.from({ length: 3 }, () => size));
      expect(peak).toBeGreaterThan(0);
      expect(peak - before).toBeLessThan(96 * mebibyte);
    } finally {
      edge?.kill('SIGKILL');
      await removeFolder(folder);
    }
  });

  test('is read no faster than the client accepts it, and its handle is released when the client disconnects', async () => {
    for (const via of ['fast', 'node'] as const) {
      const { counts, port, edge } = await largeFile();
      const connection = new RawConnection(port);
      connection.socket.pause();
      connection.send(requestText('/large.bin', via === 'node' ? { Connection: 'keep-alive, x' } : {}));
      await expect.poll(() => counts.read).toBeGreaterThan(0);
      let settled = -1;
      await expect
        .poll(
          () => {
            const isSettled = settled === counts.read;
            settled = counts.read;
            return isSettled;
          },
          { interval: 200 },
        )
        .toBe(true);
      expect(counts.read).toBeLessThan(32 * mebibyte);
      connection.close();
      await edge.close();
      await expect.poll(() => counts).toMatchObject({ open: 0, opened: 1 });
      running = null;
    }
  });

  test('is opened once for many readers', async () => {
    const { counts, port } = await largeFile({}, Buffer.alloc(2 * mebibyte, 'x'));
    await Promise.all(Array.from({ length: 20 }, () => ask(port, '/large.bin')));
    await ask(port, '/large.bin', { Range: 'bytes=5-9' });
    expect(counts.opened).toBe(1);
  });

  test('from a remote store is passed through as a stream', async () => {
    const bytes = Buffer.from(Array.from({ length: 2 * mebibyte }, (_, at) => at % 251));
    const { port } = await largeFile({}, bytes, (handle) => ({ ...handle, isLocal: false }));
    expect((await ask(port, '/large.bin')).body.equals(bytes)).toBe(true);
    const part = await ask(port, '/large.bin', { Range: 'bytes=1000000-1000099' });
    expect(part.body.equals(bytes.subarray(1_000_000, 1_000_100))).toBe(true);
  });

  test('whose bytes end early or fail breaks the connection instead of pretending', async () => {
    const failures: ((handle: BlobHandle) => BlobHandle)[] = [
      (handle) => ({ ...handle, read: async () => 0 }),
      (handle) => ({ ...handle, read: () => Promise.reject(new Error('the disk is gone')) }),
      (handle) => ({ ...handle, isLocal: false, stream: () => Readable.from([Buffer.from('short')]) }),
    ];
    for (const change of failures) {
      for (const via of ['fast', 'node'] as const) {
        const { port, edge, log } = await largeFile({}, Buffer.alloc(2 * mebibyte, 'x'), change);
        await expect(ask(port, '/large.bin', {}, { via })).rejects.toThrow('closed after');
        expect((await ask(port, '/small.txt')).body.toString()).toBe('small');
        expect(log).toContain('a response broke off');
        await edge.close();
        running = null;
      }
    }
  });
});

describe('slow and silent clients', () => {
  test('that send nothing, or half a head, are closed', async () => {
    const { port } = await largeFile({ limits: { headMs: 100, idleMs: 200, requestMs: 400 } });
    const silent = new RawConnection(port);
    const half = new RawConnection(port);
    half.send('GET / HTTP/1.1\r\nHost: si');
    await Promise.all([silent.closed(), half.closed()]);
  });

  test('that keep a connection open without a request are closed, on the fast path and by Node', async () => {
    const { port } = await largeFile({ limits: { headMs: 100, idleMs: 200 } });
    for (const extra of paths) {
      const connection = new RawConnection(port);
      connection.send(requestText('/small.txt', extra));
      expect((await connection.response()).status).toBe(200);
      await connection.closed();
    }
  });

  test('that stop accepting their response are cut', async () => {
    for (const extra of paths) {
      const { port, counts, edge } = await largeFile({ limits: { stallMs: 200 } });
      const connection = new RawConnection(port);
      connection.socket.pause();
      connection.send(requestText('/large.bin', extra));
      await expect.poll(() => counts.read).toBeGreaterThan(0);
      await expect.poll(() => connectionsOf(edge.server)).toBe(0);
      connection.close();
      await edge.close();
      await expect.poll(() => counts.open).toBe(0);
      running = null;
    }
  });

  test('that send requests without reading responses do not fill the memory', async () => {
    const { port, edge } = await largeFile({}, Buffer.alloc(mebibyte, 'x'));
    await ask(port, '/large.bin');
    const accepted = once(edge.server, 'connection');
    const connection = new RawConnection(port);
    connection.socket.pause();
    const many = requestText('/large.bin').repeat(500);
    connection.send(many);
    const [serverSide] = await accepted;
    await expect.poll(() => serverSide.writableLength).toBeGreaterThan(0);
    expect(serverSide.writableLength).toBeLessThan(4 * mebibyte);
    connection.socket.resume();
    let bytes = 0;
    for (let count = 0; count < 500; count += 1) bytes += (await connection.response()).body.length;
    expect(bytes).toBe(500 * mebibyte);
    connection.close();
  });
});

describe('files of a megabyte in memory', () => {
  const names = Array.from({ length: 6 }, (_, at) => `f${at}.bin`);
  const files = Object.fromEntries(names.map((name, at) => [name, Buffer.alloc(mebibyte, `${at} of six `)]));

  async function sixFiles(memoryBytesMax: number) {
    const ports = new MemoryPorts();
    ports.addVersion('v1', files);
    ports.point('site.test', 'v1');
    running = await startEdge(ports, { limits: { memoryBytesMax } });
    // From the third request on they are answered from memory, where there is room for all.
    for (const name of [...names, ...names]) await ask(running.port, `/${name}`);
    ports.records.length = 0;
    return { ports, port: running.port };
  }

  test.each([64, 3])(
    'arrive whole at slow clients and are counted, with %i MiB of memory for six',
    async (megabytes) => {
      const { ports, port } = await sixFiles(megabytes * mebibyte);
      const clients = names.map((_, at) => ({
        connection: new RawConnection(port),
        targets: [...names.slice(at), ...names.slice(0, at)],
      }));
      for (const { connection, targets } of clients) {
        connection.socket.pause();
        connection.send(targets.map((name) => requestText(`/${name}`)).join(''));
      }
      let bytes = 0;
      for (const { connection, targets } of clients) {
        connection.socket.resume();
        for (const name of targets) {
          const response = await connection.response();
          expect(response.body.equals(files[name] ?? Buffer.alloc(0)), name).toBe(true);
          bytes += response.bytes;
        }
        connection.close();
      }
      await expect.poll(() => ports.bytesOf('site.test')).toBe(bytes);
    },
  );
});

describe('a graceful stop', () => {
  // No two chunks of a transfer are alike, so a buffer reused too early is noticed.
  const content = Buffer.alloc(32 * mebibyte);
  for (let at = 0; at < content.length; at += 4) content.writeUInt32LE((at * 2_654_435) % 2 ** 32, at);

  test('finishes what is in flight, closes what is idle and accepts nothing new', async () => {
    for (const extra of paths) {
      const { port, edge, counts } = await largeFile({}, content);
      const idle = new RawConnection(port);
      idle.send(requestText('/small.txt', extra));
      await idle.response();
      const busy = new RawConnection(port);
      busy.socket.pause();
      busy.send(requestText('/large.bin', extra));
      await expect.poll(() => counts.read).toBeGreaterThan(0);
      const closing = edge.close();
      await idle.closed();
      busy.socket.resume();
      expect((await busy.response()).body.equals(content)).toBe(true);
      await Promise.all([closing, busy.closed()]);
      await expect(ask(port, '/small.txt')).rejects.toThrow();
      await expect.poll(() => counts.open).toBe(0);
      running = null;
    }
  });

  test('serves a request that was on its way, and says in the response that the connection ends', async () => {
    for (const extra of paths) {
      const { port, edge } = await largeFile({ limits: { graceMs: 5_000 } }, Buffer.from('x'));
      const kept = Array.from({ length: 8 }, () => new RawConnection(port));
      for (const connection of kept) {
        connection.send(requestText('/small.txt', extra));
        expect((await connection.response()).headers.connection).not.toBe('close');
      }
      const closing = edge.close();
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const connection of kept) {
        connection.send(requestText('/small.txt', extra));
        const { status, headers, body } = await connection.response();
        expect([status, headers.connection, body.toString()]).toEqual([200, 'close', 'small']);
      }
      await Promise.all([closing, ...kept.map((connection) => connection.closed())]);
      running = null;
    }
  });

  test('serves a request of its grace period, however late a busy machine reads it', async () => {
    for (const extra of paths) {
      const graceMs = 20;
      const { port, edge } = await largeFile({ limits: { graceMs } }, Buffer.from('x'));
      const kept = new RawConnection(port);
      kept.send(requestText('/small.txt', extra));
      await kept.response();
      const closing = edge.close();
      kept.send(requestText('/small.txt', extra));
      holdEventLoop(3 * graceMs);
      expect((await kept.response()).body.toString()).toBe('small');
      await Promise.all([closing, kept.closed()]);
      running = null;
    }
  });

  test('serves the request that follows a download which took longer than the grace period', async () => {
    for (const extra of paths) {
      const graceMs = 400;
      const { port, edge, counts } = await largeFile({ limits: { graceMs } }, content);
      const busy = new RawConnection(port);
      busy.socket.pause();
      busy.send(requestText('/large.bin', extra));
      await expect.poll(() => counts.read).toBeGreaterThan(0);
      const closing = edge.close();
      await new Promise((resolve) => setTimeout(resolve, 1.5 * graceMs));
      busy.socket.resume();
      await busy.response();
      busy.send(requestText('/small.txt', extra));
      expect((await busy.response()).body.toString()).toBe('small');
      await Promise.all([closing, busy.closed()]);
      running = null;
    }
  });

  test('gives up on clients that do not accept their response', async () => {
    const { port, edge, counts } = await largeFile({ limits: { drainMs: 100 } });
    const connection = new RawConnection(port);
    connection.socket.pause();
    connection.send(requestText('/large.bin'));
    await expect.poll(() => counts.read).toBeGreaterThan(0);
    await edge.close();
    running = null;
    connection.close();
  });
});

test('memory for small files stays within its limit, and everything is still served', async () => {
  const ports = new MemoryPorts();
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`f${at}.bin`, Buffer.alloc(100_000, `file ${at} `)] as const),
  );
  ports.addVersion('v1', files);
  ports.point('site.test', 'v1');
  running = await startEdge(ports, { limits: { memoryBytesMax: mebibyte } });
  const { port } = running;
  for (let round = 0; round < 3; round += 1) {
    for (const [name, content] of Object.entries(files)) {
      expect((await ask(port, `/${name}`)).body.equals(content)).toBe(true);
    }
  }
  const reads = ports.asked.filter((question) => question.startsWith('blob')).length;
  expect(reads).toBe(60);
});

async function download(port: number, bytes: number): Promise<number> {
  const asked = request({
    port,
    host: '127.0.0.1',
    path: '/large.bin',
    headers: { Range: `bytes=0-${bytes - 1}` },
  });
  asked.end();
  const [response] = await once(asked, 'response');
  let received = 0;
  for await (const chunk of response) received += chunk.length;
  return received;
}

function residentBytes(processId: number | undefined): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

async function connectionsOf(server: TestEdge['edge']['server']): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
