import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { sumsOfBucket } from '#tests/support/storage/bucket-sums.ts';
import { registerBucketOwner, type S3Keys } from '#tests/support/storage/s3-client.ts';
import { headText, signAndSend } from '#tests/support/storage/s3-raw.ts';
import { signedHeaders } from '#tests/support/storage/s3-signing.ts';

const CONNECTIONS = 8;
const BREAK_MS = 3;
let server: TestServer;
let keys: S3Keys;
let bucketId: string;

beforeAll(async () => {
  server = await startTestServer({ BILLING_MODE: 'off', LOG_LEVEL: 'error' });
  const owner = await registerBucketOwner(server);
  ({ id: bucketId } = await owner.createBucket('interrupted'));
  keys = await owner.createKeys([bucketId]);
});
afterAll(() => server.close());

const content = Buffer.from('Content of some length, with a line\r\nbreak.'.repeat(2));
const md5 = createHash('md5').update(content);
const etag = md5.copy().digest('hex');

/** The ways in which an upload comes: its headers, its body, and how its hash is signed. */
const KINDS: Record<string, { headers: Record<string, string>; body: Buffer; payload?: string }> = {
  'with its hashes': {
    payload: createHash('sha256').update(content).digest('hex'),
    headers: { 'content-md5': md5.digest('base64') },
    body: content,
  },
  'in chunks with a trailer': {
    payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    headers: {
      'x-amz-decoded-content-length': String(content.length),
      'x-amz-trailer': 'x-amz-checksum-crc32',
    },
    body: inChunks(`x-amz-checksum-crc32:${crcOf(content)}\r\n`),
  },
  'of a length that HTTP’s chunks tell': {
    headers: { 'transfer-encoding': 'chunked' },
    body: inChunks(''),
  },
};

function crcOf(bytes: Buffer): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum.toString('base64');
}

function inChunks(trailer: string): Buffer {
  const [first, rest] = [content.subarray(0, 33), content.subarray(33)];
  const chunks = [first, rest].flatMap((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n']);
  return Buffer.concat([...chunks, `0\r\n${trailer}\r\n`].map((part) => Buffer.from(part)));
}

/** The bytes of an upload, and where its body begins. */
function bytesOf(path: string, kind: string): { bytes: Buffer; bodyAt: number } {
  const { headers, body, payload } = KINDS[kind] ?? { headers: {}, body: content };
  const length: Record<string, string> =
    'transfer-encoding' in headers ? {} : { 'content-length': String(body.length) };
  const host = `127.0.0.1:${server.s3Port}`;
  const signed = signedHeaders({
    ...{ method: 'PUT', path, host, keys },
    headers: { ...length, ...headers },
    ...(payload !== undefined && { payload }),
  });
  const head = headText('PUT', path, signed);
  return { bytes: Buffer.concat([Buffer.from(head), body]), bodyAt: head.length };
}

function open(): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port: server.s3Port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.on('error', () => undefined);
  });
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls `work` for every number up to a length, a few at a time. */
async function forEach(length: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const run = async () => {
    for (let at = next++; at < length; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, run));
}

describe.each(Object.keys(KINDS))('an upload %s', (kind) => {
  const path = `/interrupted/${Object.keys(KINDS).indexOf(kind)}`;

  it('that breaks off at any byte stores nothing', async () => {
    const { bytes } = bytesOf(path, kind);
    await forEach(bytes.length, async (at) => {
      const socket = await open();
      socket.write(bytes.subarray(0, at));
      await sleep(BREAK_MS);
      // Half of the clients are killed, and the others end what they send.
      if (at % 2 === 0) socket.resetAndDestroy();
      else await new Promise((resolve) => socket.once('close', resolve).resume().end());
    });
    expect(await signAndSend(server.s3Port, { method: 'GET', path, keys })).toMatchObject({ status: 404 });
  });

  it('is stored whole, at whichever byte its two packets are divided', async () => {
    const { bytes, bodyAt } = bytesOf(path, kind);
    const responses = new Map<string, number>();
    const send = async (at: number) => {
      const socket = await open();
      let said = '';
      const received = new Promise((resolve) => {
        socket.on('data', (data) => {
          said += data.toString('latin1');
          if (said.includes('\r\n\r\n')) resolve(null);
        });
        socket.once('close', resolve);
      });
      socket.write(bytes.subarray(0, at));
      await sleep(BREAK_MS);
      socket.write(bytes.subarray(at));
      await received;
      socket.destroy();
      const response = `${said.slice(9, 12)} ${/^etag: "(.*)"/im.exec(said)?.[1]}`;
      responses.set(response, (responses.get(response) ?? 0) + 1);
    };
    const divisions = bytes.length - bodyAt;
    await forEach(divisions, (at) => send(bodyAt + at));
    expect(Object.fromEntries(responses)).toEqual({ [`200 ${etag}`]: divisions });
    const { status, text } = await signAndSend(server.s3Port, { method: 'GET', path, keys });
    expect([status, text]).toEqual([200, content.toString()]);
  });
});

it('afterwards, the sums of the bucket are those of its objects, and nothing has failed', async () => {
  const sums = { objects: 3, bytes: 3 * content.length };
  expect(await sumsOfBucket(server, bucketId)).toEqual({ recorded: sums, stored: sums, pieces: 3 });
  expect(server.output()).toBe('');
});
