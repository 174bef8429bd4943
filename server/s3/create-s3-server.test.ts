import { hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { S3Keys } from '#tests/support/storage/s3-client.ts';
import { signedHeaders } from '#tests/support/storage/s3-signing.ts';
import { createS3Server, type S3Parts } from './create-s3-server.ts';
import { MemoryShares } from './memory-shares.ts';
import type { PieceHandle, S3Access, S3Bucket, S3Object, S3Ports, S3Upload } from './ports.ts';

const keys = { accessKeyId: 'key', secretAccessKey: 'secret' };
const access = { accessKeyId: 'key', secretKey: 'secret', ownerId: 'rivers', mayReach: () => true };

/** Turns that come at once, and what was taken of them. */
function noteTurns() {
  const taken: string[] = [];
  const turnsOf = (whose: string) => ({
    take(client: string, begin: () => boolean, cost = 1) {
      taken.push(`${whose} ${client} ${cost}`);
      begin();
    },
  });
  return { taken, turns: { clients: turnsOf('client'), owners: turnsOf('owner') } };
}

it('names to delete take another turn once all of them have come', async () => {
  const { taken, turns } = noteTurns();
  const ports: Partial<S3Ports> = {
    findAccess: async () => access as unknown as S3Access,
    findBucket: async () => ({ id: 'b', name: 'bucket', corsRules: [] }) as unknown as S3Bucket,
    deleteObject: async () => void taken.push('delete'),
  };
  const body = '<Delete><Object><Key>a</Key></Object></Delete>';
  expect(await ask(ports, { turns, path: '/bucket?delete=', keys, body })).toMatchObject({ status: 200 });
  expect(taken).toEqual(['client 192.0.2.1 1', 'owner rivers 4', 'owner rivers 4', 'delete']);
});

it('long content takes a turn for each portion, received or sent', async () => {
  const { taken, turns } = noteTurns();
  const ownTurns = () => taken.filter((turn) => turn.startsWith('owner rivers')).length;
  const ports: Partial<S3Ports> = {
    findAccess: async () => access as unknown as S3Access,
    findBucket: async () => ({ id: 'b', name: 'bucket', corsRules: [] }) as unknown as S3Bucket,
    deleteObject: async () => undefined,
  };
  const body = `<Delete><Object><Key>a</Key></Object>${' '.repeat(MEBIBYTE)}</Delete>`;
  await ask(ports, { turns, path: '/bucket?delete=', keys, body });
  // Those of the request, and of 16 Ki characters of the document each.
  const others = 2 + Math.floor(body.length / (16 * 1_024));
  // As much as comes together is one portion.
  expect(ownTurns() - others).toBeGreaterThan(4);
  taken.length = 0;
  expect(
    await ask(
      objectOf(async () => pieceOf(MEBIBYTE)),
      { turns },
    ),
  ).toMatchObject({ status: 200 });
  expect(ownTurns()).toBe((2 * MEBIBYTE) / (256 * 1_024));
});

it('a request takes the turn of its client, and then that of the organization that has signed it', async () => {
  const { taken, turns } = noteTurns();
  const ports: Partial<S3Ports> = {
    findAccess: async () => access as unknown as S3Access,
    findBucket: async () => null,
  };
  for (const path of ['/bucket/key', '/bucket?list-type=2']) {
    expect(await ask(ports, { turns, path, keys })).toMatchObject({ code: 'NoSuchBucket' });
  }
  expect(taken).toEqual(['client 192.0.2.1 1', 'owner rivers 1', 'client 192.0.2.1 1', 'owner rivers 4']);
});

it('an upload that is abandoned while its parts are looked up is gone, and none of them is wrong', async () => {
  const upload = { id: 'u', key: 'key', checksum: null } as unknown as S3Upload;
  const found = [upload, null];
  const ports: Partial<S3Ports> = {
    findAccess: async () => access as unknown as S3Access,
    findBucket: async () => ({ id: 'b', name: 'bucket', corsRules: [] }) as unknown as S3Bucket,
    findUpload: async () => found.shift() ?? null,
    listParts: async () => [],
    findObject: async () => null,
  };
  const part = '<Part><PartNumber>1</PartNumber><ETag>"e"</ETag></Part>';
  const body = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`;
  const answered = await ask(ports, { path: '/bucket/key?uploadId=u', keys, body });
  expect(answered).toEqual({ status: 404, code: 'NoSuchUpload' });
});

const atOnce = { take: (_client: string, begin: () => boolean) => void begin() };

/** Asks for an object of a service whose database or store fails in this way. */
function askDuring(failure: Error) {
  return ask({ findBucket: () => Promise.reject(failure), isOutage: () => true });
}

/** Asks for an object of a service with these ports. */
async function ask(
  some: Partial<S3Ports>,
  {
    turns = { clients: atOnce, owners: atOnce },
    memory = new MemoryShares(2 ** 30),
    path = '/bucket/key',
    keys,
    body,
  }: { turns?: S3Parts['turns']; memory?: MemoryShares; path?: string; keys?: S3Keys; body?: string } = {},
): Promise<{ status: number; code: string | undefined }> {
  const ports: Partial<S3Ports> = {
    reportFailure: () => undefined,
    count: () => undefined,
    asLongWork: (_bucket, work) => work(),
    ...some,
  };
  const server = createS3Server({
    ports: ports as S3Ports,
    settings: { domain: 's3.test', region: 'qc-south-1', scheme: 'http', consoleOrigin: 'http://console' },
    now: () => 0,
    newRequestId: () => 'id',
    clientOf: () => '192.0.2.1',
    turns,
    memory: { clients: memory, owners: memory },
    onAnswered: () => undefined,
    admit: () => true,
    admitPublicRead: () => true,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const host = `127.0.0.1:${port}`;
    const method = body === undefined ? 'GET' : 'POST';
    const digest: Record<string, string> =
      body === undefined ? {} : { 'content-md5': hash('md5', body, 'base64') };
    const headers = keys && signedHeaders({ method, path, host, keys, at: new Date(0), headers: digest });
    const response = await fetch(`http://${host}${path}`, {
      method,
      body: body ?? null,
      headers: headers ?? {},
    });
    return { status: response.status, code: /<Code>(\w+)/.exec(await response.text())?.[1] };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it.each(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])(
  'a store that breaks off with %s is an outage, and no fault of the client’s body',
  async (code) => {
    const failure = Object.assign(new Error('socket hang up'), { code });
    expect(await askDuring(failure)).toEqual({ status: 503, code: 'ServiceUnavailable' });
  },
);

const MEBIBYTE = 1024 * 1024;

/** A service with a public object of two pieces whose content is opened like this. */
function objectOf(openPiece: S3Ports['openPiece'], isOutage = false): Partial<S3Ports> {
  const bucket: Partial<S3Bucket> = {
    id: 'b',
    name: 'bucket',
    ownerId: 'rivers',
    isPublic: true,
    isServedToAnyone: true,
    corsRules: [],
  };
  const object: Partial<S3Object> = {
    ...{
      key: 'key',
      size: 2 * MEBIBYTE,
      contentId: 'c',
      etag: 'e',
      modifiedAt: 0,
      headers: {},
      metadata: {},
      tags: [],
    },
  };
  const pieces = ['one', 'two'].map((id) => ({ id, size: MEBIBYTE, content: null, checksum: null }));
  return {
    findBucket: async () => bucket as S3Bucket,
    findObject: async () => object as S3Object,
    listPieces: async () => pieces as never,
    openPiece,
    isOutage: () => isOutage,
  };
}

/** A piece with this many bytes, and whether it was closed. */
function pieceOf(size: number, closed: () => void = () => undefined): PieceHandle {
  return {
    size,
    isLocal: true,
    async read(target, offset, length, position) {
      return Math.max(0, Math.min(length, size - position, target.byteLength - offset));
    },
    stream: () => Readable.from([]),
    close: async () => closed(),
  };
}

it('an object whose content is lost or cut off is an error, as long as none of it has been sent', async () => {
  const lost = { status: 500, code: 'InternalError' };
  expect(await ask(objectOf(async () => null))).toEqual(lost);
  let closed = 0;
  expect(await ask(objectOf(async () => pieceOf(MEBIBYTE - 1, () => (closed += 1))))).toEqual(lost);
  expect(closed).toBe(1);
});

it('an object whose store does not answer is unavailable, as long as none of it has been sent', async () => {
  const fail = () => Promise.reject(new Error('no answer'));
  expect(await ask(objectOf(fail, true))).toEqual({ status: 503, code: 'ServiceUnavailable' });
});

it('an object whose content is lost further on breaks off, so that nobody takes it for whole', async () => {
  const half = objectOf(async (id) => (id === 'one' ? pieceOf(MEBIBYTE) : null));
  await expect(ask(half)).rejects.toThrow('terminated');
});

it('an object is sent whole, and each of its pieces is closed', async () => {
  let closed = 0;
  expect(await ask(objectOf(async () => pieceOf(MEBIBYTE, () => (closed += 1))))).toMatchObject({
    status: 200,
  });
  expect(closed).toBe(2);
});

it('an object whose store breaks off as a client would does not keep its client waiting', async () => {
  let reads = 0;
  const broken: PieceHandle = {
    ...pieceOf(MEBIBYTE),
    async read(_target, _offset, length) {
      reads += 1;
      if (reads > 2) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      return length;
    },
  };
  await expect(ask(objectOf(async () => broken))).rejects.toThrow('terminated');
});

it('what responses hold at a time is bounded, and free again once they are taken', async () => {
  const long = objectOf(async () => pieceOf(MEBIBYTE));
  const slow = { status: 503, code: 'SlowDown' };
  expect(await ask(long, { memory: new MemoryShares(4 * 32 * 1024 - 1) })).toEqual(slow);
  const memory = new MemoryShares(4 * 32 * 1024);
  expect(await ask(long, { memory })).toMatchObject({ status: 200 });
  await expect.poll(() => memory.take('anyone', 32 * 1024)).toBe(true);
  expect(await ask(long, { memory })).toEqual(slow);
});

it('so is what documents hold', async () => {
  const ports: Partial<S3Ports> = {
    findAccess: async () => access as unknown as S3Access,
    findBucket: async () => ({ id: 'b', name: 'bucket', corsRules: [] }) as unknown as S3Bucket,
    deleteObject: async () => undefined,
  };
  const body = `<Delete><Object><Key>a</Key></Object>${' '.repeat(30_000)}</Delete>`;
  const asked = (bytes: number) =>
    ask(ports, { memory: new MemoryShares(bytes), path: '/bucket?delete=', keys, body });
  expect(await asked(400_000)).toEqual({ status: 503, code: 'SlowDown' });
  expect(await asked(500_000)).toMatchObject({ status: 200 });
  const longBody = body.replace(' ', ' '.repeat(1_500_000));
  const refused = ask(ports, {
    memory: new MemoryShares(2_000_000),
    path: '/bucket?delete=',
    keys,
    body: longBody,
  });
  expect(await refused).toEqual({ status: 503, code: 'SlowDown' });
});
