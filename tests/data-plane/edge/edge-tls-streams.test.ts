import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { RawConnection, requestText } from './edge-client.ts';
import { countedHandle, MemoryPorts, memoryHandle } from './edge-fixture.ts';
import {
  askHttp2,
  createTestAuthority,
  openHttp2,
  openTls,
  type SecureTestEdge,
  startSecureEdge,
} from './edge-secure-fixture.ts';

const authority = await createTestAuthority();

const mebibyte = 1024 * 1024;
// No two chunks of a transfer are alike, so a buffer reused too early is noticed.
const content = Buffer.alloc(32 * mebibyte);
for (let at = 0; at < content.length; at += 4) content.writeUInt32LE((at * 2_654_435) % 2 ** 32, at);

/** A secure edge with one large file, reporting how many handles on it are open and how much was read. */
async function prepare(options: Parameters<typeof startSecureEdge>[1] = {}) {
  const ports = new MemoryPorts();
  ports.addVersion('v1', { 'large.bin': content, 'small.txt': 'small' });
  ports.point('site.test', 'v1');
  ports.certificates.set('site.test', await authority.issue(['site.test']));
  const counts = { open: 0, opened: 0, read: 0 };
  const sha256 = ports.versions.get('v1')?.files.get('large.bin')?.sha256;
  ports.blobs.set(`${sha256} identity`, () => countedHandle(content, counts));
  return { ports, counts, ...(await startSecureEdge(ports, options)) };
}

/** Starts a request whose response is not read yet. */
async function begin(session: ClientHttp2Session, path: string): Promise<ClientHttp2Stream> {
  const stream = session.request({ ':path': path });
  stream.on('error', () => {});
  stream.end();
  await once(stream, 'response');
  return stream;
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Resolves when no more is read: the client's window and the buffers on the way are full. */
async function settled(counts: { read: number }): Promise<number> {
  let before = -1;
  const isSettled = () => {
    const now = before === counts.read;
    before = counts.read;
    return now;
  };
  await expect.poll(() => counts.read).toBeGreaterThan(0);
  await expect.poll(isSettled, { interval: 150 }).toBe(true);
  return counts.read;
}

async function openConnections(edge: SecureTestEdge['edge']): Promise<number> {
  return new Promise((resolve, reject) => {
    edge.secureServer?.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

describe('a large file', () => {
  test('arrives complete on several simultaneous streams of one connection, next to small ones', async () => {
    const { securePort } = await prepare();
    const session = await openHttp2(securePort, 'site.test');
    const streams = await Promise.all(Array.from({ length: 3 }, () => begin(session, '/large.bin')));
    const bodies = Promise.all(streams.map((stream) => readAll(stream)));
    expect((await askHttp2(session, '/small.txt')).body.toString()).toBe('small');
    for (const body of await bodies) expect(body.equals(content)).toBe(true);
    session.close();
  });

  test('is read no faster than the client accepts it, over HTTP/1.1 and HTTP/2', async () => {
    const { securePort, counts, edge } = await prepare();
    const session = await openHttp2(securePort, 'site.test');
    const stream = await begin(session, '/large.bin');
    expect(await settled(counts)).toBeLessThan(8 * mebibyte);
    expect((await readAll(stream)).equals(content)).toBe(true);
    session.close();
    counts.read = 0;
    const connection = new RawConnection(await openTls(securePort, { servername: 'site.test' }));
    connection.socket.pause();
    connection.send(requestText('/large.bin'));
    expect(await settled(counts)).toBeLessThan(24 * mebibyte);
    connection.socket.resume();
    expect((await connection.response()).body.equals(content)).toBe(true);
    connection.close();
    await edge.close();
    await expect.poll(() => counts.open).toBe(0);
  });

  test('that is reset, or whose client disconnects, releases its handle, and the connection continues', async () => {
    const { securePort, counts, edge, log } = await prepare({ limits: { openFilesMax: 0 } });
    const session = await openHttp2(securePort, 'site.test');
    for (let count = 0; count < 5; count += 1) {
      const stream = await begin(session, '/large.bin');
      expect(counts.open).toBe(1);
      stream.close(constants.NGHTTP2_CANCEL);
      await expect.poll(() => counts.open).toBe(0);
    }
    expect((await askHttp2(session, '/small.txt')).status).toBe(200);
    await begin(session, '/large.bin');
    session.destroy();
    await expect.poll(() => counts.open).toBe(0);
    const rude = await openHttp2(securePort, 'site.test');
    await begin(rude, '/large.bin');
    rude.socket.destroy();
    await expect.poll(() => counts.open).toBe(0);
    await expect.poll(() => openConnections(edge)).toBe(0);
    expect(log).toEqual([]);
  });

  test('that fails while being read is a broken stream, not a complete response', async () => {
    const { ports, securePort, log } = await prepare();
    const sha256 = ports.versions.get('v1')?.files.get('large.bin')?.sha256;
    ports.blobs.set(`${sha256} identity`, () => ({ ...memoryHandle(content), read: async () => 0 }));
    const session = await openHttp2(securePort, 'site.test');
    const stream = session.request({ ':path': '/large.bin' });
    await expect(readAll(stream)).rejects.toThrow(/NGHTTP2_(INTERNAL|PROTOCOL)_ERROR/);
    expect((await askHttp2(session, '/small.txt')).status).toBe(200);
    expect(log).toContain('a response broke off');
    session.close();
  });
});

test('a hundred files at once over one connection arrive complete, cold and warm', async () => {
  const { ports, securePort, edge } = await prepare();
  const files = Array.from(
    { length: 100 },
    (_, at) => [`f${at}.bin`, Buffer.alloc(200_000, `file ${at} `)] as const,
  );
  ports.addVersion('v2', Object.fromEntries(files));
  ports.point('site.test', 'v2');
  edge.invalidateHost('site.test');
  const session = await openHttp2(securePort, 'site.test');
  for (let round = 0; round < 3; round += 1) {
    const responses = await Promise.all(files.map(([name]) => askHttp2(session, `/${name}`)));
    for (const [at, { status, body }] of responses.entries()) {
      expect([status, body.equals(files[at]?.[1] ?? Buffer.alloc(0))]).toEqual([200, true]);
    }
  }
  session.close();
});

describe('a client that costs too much', () => {
  test('by accepting nothing of a hundred streams is read a few kilobytes each', async () => {
    const { securePort, counts } = await prepare();
    const session = await openHttp2(securePort, 'site.test', {}, { initialWindowSize: 0 });
    await Promise.all(Array.from({ length: 100 }, () => begin(session, '/large.bin')));
    expect(await settled(counts)).toBeLessThan(100 * 32 * 1024);
    session.destroy();
  });

  test('by accepting nothing makes room for those who do, and only then', async () => {
    const room = { transferBytesPerAddressMax: 256 * 1024, staleMs: 200, openFilesMax: 0 };
    const { securePort, counts } = await prepare({ limits: room });
    const idle = await openHttp2(securePort, 'site.test', {}, { initialWindowSize: 0 });
    for (let count = 0; count < 5; count += 1) await begin(idle, '/large.bin');
    await settled(counts);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(counts.open).toBe(5);
    const busy = await openHttp2(securePort, 'site.test');
    const responses = await Promise.all(Array.from({ length: 9 }, () => askHttp2(busy, '/small.txt')));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    await expect.poll(() => counts.open).toBeLessThan(5);
    busy.close();
    idle.destroy();
  });

  test('by requesting more than it may hold is refused, and retries', async () => {
    const { securePort } = await prepare({ limits: { transferBytesPerConnectionMax: 128 * 1024 } });
    const session = await openHttp2(securePort, 'site.test', {}, { initialWindowSize: 0 });
    const ends = Array.from({ length: 20 }, () =>
      begin(session, '/large.bin').then(
        () => 'begun',
        (error: Error) => error.message,
      ),
    );
    const outcomes = await Promise.all(ends);
    expect(outcomes.filter((outcome) => outcome === 'begun').length).toBeGreaterThan(0);
    expect(outcomes.filter((outcome) => outcome.includes('REFUSED_STREAM')).length).toBeGreaterThan(10);
    session.destroy();
  });

  test('has its stream reset when it accepts nothing, although its connection is active', async () => {
    const { securePort, counts } = await prepare({ limits: { stallMs: 100, openFilesMax: 0 } });
    const session = await openHttp2(securePort, 'site.test');
    await begin(session, '/large.bin');
    const pinging = setInterval(() => session.destroyed || session.ping(() => {}), 50);
    try {
      await settled(counts);
      await expect.poll(() => counts.open).toBe(0);
      expect((await askHttp2(session, '/small.txt')).status).toBe(200);
    } finally {
      clearInterval(pinging);
      session.destroy();
    }
  });

  test('is closed when it sends nothing after the handshake, or nothing more', async () => {
    const { securePort, edge } = await prepare({ limits: { headMs: 150, idleMs: 300 } });
    const silent = await openTls(securePort, { servername: 'site.test', ALPNProtocols: ['h2'] });
    expect(silent.alpnProtocol).toBe('h2');
    silent.resume();
    await once(silent, 'close');
    const session = await openHttp2(securePort, 'site.test');
    expect((await askHttp2(session, '/small.txt')).status).toBe(200);
    await once(session, 'close');
    await expect.poll(() => openConnections(edge)).toBe(0);
  });

  test('is refused more streams than allowed, and a head that is too long', async () => {
    const { securePort } = await prepare({ limits: { streamsMax: 7 } });
    const session = await openHttp2(securePort, 'site.test');
    await expect.poll(() => session.remoteSettings.maxConcurrentStreams).toBe(7);
    const long = session.request({ ':path': '/small.txt', 'x-long': 'a'.repeat(60_000) });
    const outcome = await once(long, 'response').then(
      ([head]) => String(head[':status']),
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(/431|NGHTTP2_ENHANCE_YOUR_CALM|NGHTTP2_REFUSED/);
    session.destroy();
    const after = await openHttp2(securePort, 'site.test');
    expect((await askHttp2(after, '/small.txt')).status).toBe(200);
    after.close();
  });

  test('that opens and resets streams endlessly is disconnected, and others are served', async () => {
    const { securePort } = await prepare();
    const neighbour = await openHttp2(securePort, 'site.test');
    const rapid = await openHttp2(securePort, 'site.test');
    const isClosed = new Promise<boolean>((resolve) => rapid.once('close', () => resolve(true)));
    for (let count = 0; count < 2_000 && !rapid.destroyed && !rapid.closed; count += 1) {
      const stream = rapid.request({ ':path': '/large.bin' });
      stream.on('error', () => {});
      await new Promise((resolve) => setImmediate(resolve));
      stream.close(constants.NGHTTP2_CANCEL);
    }
    expect(await isClosed).toBe(true);
    expect((await askHttp2(neighbour, '/small.txt')).status).toBe(200);
    neighbour.close();
  });

  test('that sends what is not HTTP/2, or a body, harms no one', async () => {
    const { securePort } = await prepare();
    const nonsense = await openTls(securePort, { servername: 'site.test', ALPNProtocols: ['h2'] });
    nonsense.write('GET / HTTP/1.1\r\nHost: site.test\r\n\r\n');
    nonsense.resume();
    await once(nonsense, 'close');
    const session = await openHttp2(securePort, 'site.test');
    const upload = session.request({ ':path': '/small.txt', ':method': 'POST' });
    upload.on('error', () => {});
    upload.write(Buffer.alloc(mebibyte));
    const [head] = await once(upload, 'response');
    expect(head[':status']).toBe(405);
    upload.resume();
    await once(upload, 'close');
    expect((await askHttp2(session, '/small.txt')).status).toBe(200);
    session.close();
  });
});

describe('a graceful stop', () => {
  test('finishes the streams in flight, closes idle connections and accepts nothing new', async () => {
    const { securePort, counts, edge } = await prepare();
    const idle = await openHttp2(securePort, 'site.test');
    await askHttp2(idle, '/small.txt');
    const busy = await openHttp2(securePort, 'site.test');
    const stream = await begin(busy, '/large.bin');
    const plain = new RawConnection(await openTls(securePort, { servername: 'site.test' }));
    plain.socket.pause();
    plain.send(requestText('/large.bin'));
    await settled(counts);
    const closing = edge.close();
    await once(idle, 'close');
    plain.socket.resume();
    expect((await readAll(stream)).equals(content)).toBe(true);
    expect((await plain.response()).body.equals(content)).toBe(true);
    await Promise.all([closing, plain.closed()]);
    await expect(openTls(securePort, { servername: 'site.test' })).rejects.toThrow();
    await expect.poll(() => counts.open).toBe(0);
  });

  test('tells HTTP/2 clients to reconnect elsewhere before any stream is refused', async () => {
    const { securePort, edge } = await prepare({ limits: { graceMs: 5_000 } });
    const session = await openHttp2(securePort, 'site.test');
    await askHttp2(session, '/small.txt');
    const told = once(session, 'goaway');
    const closing = edge.close();
    // The highest number there is: whatever the client has sent by then is still served.
    expect((await told).slice(0, 2)).toEqual([constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1]);
    await closing;
  });

  test('gives up on clients that do not accept their response, and on handshakes', async () => {
    const { securePort, counts, edge } = await prepare({ limits: { drainMs: 100 } });
    const silent = new RawConnection(securePort);
    await once(silent.socket, 'connect');
    const session = await openHttp2(securePort, 'site.test');
    await begin(session, '/large.bin');
    await settled(counts);
    await edge.close();
    await silent.closed();
    session.destroy();
  });
});

describe('many connections of one client', () => {
  const LATER = 20;

  async function openMany(securePort: number, count: number): Promise<ClientHttp2Session[]> {
    const settings = { initialWindowSize: 1_000 };
    const sessions: ClientHttp2Session[] = [];
    for (let at = 0; at < count; at += 1) {
      sessions.push(await openHttp2(securePort, 'site.test', {}, settings));
    }
    return sessions;
  }

  test('that end at the same moment with all their streams are torn down in different turns of the event loop', async () => {
    const { securePort, counts, log } = await prepare({ limits: { openFilesMax: 0 } });
    const sessions = await openMany(securePort, 15);
    for (const session of sessions) {
      await Promise.all(Array.from({ length: LATER }, () => begin(session, '/large.bin')));
    }
    expect(counts.open).toBe(sessions.length * LATER);
    const torn: number[] = [];
    let before = counts.open;
    const watch = () => {
      torn.push(before - counts.open);
      before = counts.open;
      if (before > 0) setImmediate(watch);
    };
    for (const session of sessions) session.socket.destroy();
    watch();
    await expect.poll(() => counts.open).toBe(0);
    expect(Math.max(...torn)).toBeLessThanOrEqual(3 * LATER);
    expect(log).toEqual([]);
  });

  test('have fewer streams from the ninth on, until others end', async () => {
    const { securePort } = await prepare();
    const mayHave = async (session: ClientHttp2Session) => {
      await askHttp2(session, '/small.txt');
      return session.remoteSettings.maxConcurrentStreams;
    };
    const sessions = await openMany(securePort, 9);
    const [first, ninth] = [sessions[0], sessions[8]];
    if (!first || !ninth) throw new Error('there are too few');
    expect(await mayHave(first)).toBe(100);
    expect(await mayHave(ninth)).toBe(LATER);
    for (const session of sessions) session.close();
    const latest = async () => {
      const [session] = await openMany(securePort, 1);
      if (!session) throw new Error('there is none');
      const count = await mayHave(session);
      session.close();
      return count;
    };
    await expect.poll(latest).toBe(100);
  });

  test('behind a proxy, a visitor with one request on a shared connection does not wait for one with many', async () => {
    const { securePort } = await prepare({ trustProxy: true });
    const session = await openHttp2(securePort, 'site.test');
    await askHttp2(session, '/small.txt');
    const order: string[] = [];
    const ask = (visitor: string) =>
      new Promise<void>((resolve, reject) => {
        // What is not ready in memory costs most of a turn of the loop.
        const stream = session.request({ ':path': '/missing', 'x-forwarded-for': visitor });
        stream.on('response', () => order.push(visitor));
        stream.on('error', reject);
        stream.on('close', resolve);
        stream.resume();
      });
    const all = Array.from({ length: 90 }, () => ask('192.0.2.1'));
    await Promise.all([...all, ask('192.0.2.2')]);
    expect(order.indexOf('192.0.2.2')).toBeLessThan(60);
    session.close();
  });
});
