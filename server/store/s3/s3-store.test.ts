import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { toAppError } from '#server/errors.ts';
import { sha256Of } from '#tests/support/app/deploy.ts';
import { testOutgoing } from '#tests/support/app/test-outgoing.ts';
import { startSlowLine } from '#tests/support/client/slow-line.ts';
import { listenOnFreePort } from '#tests/support/server/console-server.ts';
import { readBlob } from '#tests/support/storage/read-blob.ts';
import { startTestS3Server, type TestS3Server } from '#tests/support/storage/s3-server.ts';
import type { BlobStore } from '../blob-store.ts';
import { S3_BOUNDS } from './s3-calls.ts';
import { openS3Store } from './s3-store.ts';

let folder: string;
let server: TestS3Server;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portage-store-'));
  server = await startTestS3Server();
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const text = 'content '.repeat(20_000);
const sha256 = sha256Of(text);

describe('an S3 engine with transient failures', () => {
  it.each([
    ['small', 'x'.repeat(1000)],
    ['large', 'x'.repeat(5 * 1024 * 1024)],
  ])('is retried, for a %s file as well', async (_, content) => {
    const store = await openS3Store(server.url, folder, testOutgoing());
    server.refuseUploads = { status: 503, code: 'SlowDown', times: 1 };
    await store.put(sha256Of(content), 'identity', Readable.from([Buffer.from(content)]), {
      size: content.length,
    });
    expect(await readBlob(store, sha256Of(content))).toBe(content);
    expect(server.requests.filter((request) => request.startsWith('PUT'))).toHaveLength(2);
  });
});

describe('something that answers in place of an S3 engine', () => {
  it('has stored nothing: the upload is refused', async () => {
    const stranger = createServer((request, response) => {
      request
        .resume()
        .on('end', () => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
    });
    const { port } = new URL(await listenOnFreePort(stranger));
    const url = server.url.replace(/@[^/]+/, `@127.0.0.1:${port}`);
    const store = await openS3Store(url, folder, testOutgoing());
    const error = await store
      .put(sha256, 'identity', Buffer.from(text), { size: null })
      .catch((thrown: unknown) => thrown);
    expect(toAppError(error).code).toBe('service_unavailable');
    await expect(store.check()).rejects.toThrow();
  });
});

describe('a silent S3 engine', () => {
  const BOUNDS = { ...S3_BOUNDS, connectMs: 1_000, silenceMs: 400, questionMs: 400 };
  const open = () => openS3Store(server.url, folder, testOutgoing(), {}, BOUNDS);
  const large = Buffer.alloc(6 * 1024 * 1024, 'x');

  it.each([
    [
      'a small upload',
      (store: BlobStore) => store.put(sha256, 'identity', Buffer.from(text), { size: null }),
    ],
    [
      'a large upload',
      (store: BlobStore) => store.put(sha256Of(large), 'identity', Readable.from([large]), { size: null }),
    ],
    ['a question', (store: BlobStore) => store.has(sha256, 'identity')],
    ['a removal', (store: BlobStore) => store.remove(sha256)],
  ])('is called once for %s, and not repeatedly', async (_, call) => {
    const store = await open();
    server.isSilent = true;
    server.requests.length = 0;
    const error = await call(store).catch((thrown: unknown) => thrown);
    expect(toAppError(error).code).toBe('service_unavailable');
    expect(server.requests).toHaveLength(1);
  });

  it('allows a large upload its time as long as it progresses', async () => {
    // The whole takes longer than the silence limit; what the system's own buffers hold (some megabytes) is
    // sent without visible progress.
    const bounds = { ...BOUNDS, silenceMs: 2_500 };
    const slow = await startSlowLine(server.url, { bytes: 1024 * 1024, everyMs: 160 });
    const store = await openS3Store(slow.url, folder, testOutgoing(), {}, bounds);
    const larger = Buffer.alloc(32 * 1024 * 1024, 'x');
    try {
      const startedAt = performance.now();
      await store.put(sha256Of(larger), 'identity', Readable.from([larger]), { size: null });
      expect(performance.now() - startedAt).toBeGreaterThan(1.5 * bounds.silenceMs);
      expect(server.requests.filter((request) => request.startsWith('PUT'))).toHaveLength(1);
    } finally {
      await slow.close();
    }
  });

  it('is asked by the store itself until it answers, so that the metrics are right where nobody calls', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const outgoing = testOutgoing();
    const store = await openS3Store(server.url, folder, outgoing, {}, BOUNDS);
    const circuit = outgoing.circuit('store', () => true);
    server.isSilent = true;
    for (let attempt = 0; attempt < 5; attempt += 1) await store.has(sha256, 'identity').catch(() => null);
    expect(circuit.isOpen).toBe(true);
    server.isSilent = false;
    vi.advanceTimersByTime(6_000);
    vi.useRealTimers();
    await expect.poll(() => circuit.isOpen).toBe(false);
  });

  it('in the middle of a body breaks that body off, but not one whose reader pauses', async () => {
    const store = await open();
    await store.put(sha256Of(large), 'identity', Readable.from([large]), { size: null });
    const handle = await store.open(sha256Of(large), 'identity');
    const pausing = handle?.stream(0, large.length - 1) ?? Readable.from([]);
    let read = 0;
    for await (const chunk of pausing) {
      if (read === 0) await sleep(3 * BOUNDS.silenceMs);
      read += chunk.length;
    }
    expect(read).toBe(large.length);
    server.stopsInBodies = true;
    const broken = handle?.stream(0, large.length - 1) ?? Readable.from([]);
    const error = await broken.toArray().catch((thrown: unknown) => thrown);
    expect(toAppError(error).code).toBe('service_unavailable');
  });
});
