import { createHash, createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpload } from '#tests/support/client/raw-upload.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { type BucketOwner, registerBucketOwner, type S3Keys } from '#tests/support/storage/s3-client.ts';
import { headText, sendBytes, signAndSend, withMd5 } from '#tests/support/storage/s3-raw.ts';
import { signedHeaders } from '#tests/support/storage/s3-signing.ts';

const MIB = 1024 ** 2;
const Bucket = 'hostile';
const SIGNED = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
let server: TestServer;
let owner: BucketOwner;
let keys: S3Keys;
let client: S3Client;
let host: string;

beforeAll(async () => {
  server = await startTestServer({ BILLING_MODE: 'off' });
  host = `127.0.0.1:${server.s3Port}`;
  owner = await registerBucketOwner(server);
  keys = await owner.createKeys([(await owner.createBucket(Bucket)).id]);
  client = owner.client(keys);
});
afterAll(() => server.close());

const ask = (method: string, path: string, more: Partial<Parameters<typeof signAndSend>[1]> = {}) =>
  signAndSend(server.s3Port, { method, path: `/${Bucket}${path}`, keys, ...more });
const asked = async (method: string, path: string, more: Partial<Parameters<typeof signAndSend>[1]> = {}) => {
  const { status, code } = await ask(method, path, more);
  return code === null ? `${status}` : `${status} ${code}`;
};
/** Every file that is stored or being stored. */
async function storedFiles(): Promise<string[]> {
  const all = await readdir(server.dataDir, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile() && /(^|\/)(tmp|spool|pieces)(\/|$)/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('XML', () => {
  const remove = (body: string) => asked('POST', '/?delete', withMd5(body));
  it.each([
    [
      'an entity of its own',
      '<!DOCTYPE d [<!ENTITY a "b">]><Delete><Object><Key>&a;</Key></Object></Delete>',
    ],
    [
      'an entity of a file',
      '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&a;</Key></Object></Delete>',
    ],
    ['an unknown entity', '<Delete><Object><Key>&nbsp;</Key></Object></Delete>'],
    ['great depth', `<Delete>${'<a>'.repeat(50_000)}`],
    ['another root', '<Tagging><TagSet/></Tagging>'],
    ['two keys in an object', '<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>'],
    ['no end', '<Delete><Object><Key>a</Key>'],
    ['only a space', ' '],
    ['NUL', '<Delete><Object><Key>a&#0;</Key></Object></Delete>'],
    ['too many objects', `<Delete>${'<Object><Key>a</Key></Object>'.repeat(1_001)}</Delete>`],
    ['many attributes', `<Delete ${Array.from({ length: 50 }, (_, n) => `a${n}="b"`).join(' ')}/>`],
  ])('with %s is rejected', async (_, body) => {
    expect(await remove(body)).toBe('400 MalformedXML');
  });

  it.each([
    ['POST', '/?delete', '<Delete><Object><Key>kept</Key></Object></Delete>'],
    ['PUT', '/?tagging', '<Tagging><TagSet/></Tagging>'],
    [
      'PUT',
      '/?cors',
      '<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>',
    ],
  ])('of %s %s is rejected without a checksum', async (method, path, body) => {
    const { code, text } = await ask(method, path, { body });
    expect([code, text]).toEqual([
      'InvalidRequest',
      expect.stringContaining('Missing required header for this request: Content-MD5 OR x-amz-checksum-*'),
    ]);
  });

  it('that is too long is rejected by its head', async () => {
    const headers = { 'content-length': String(3 * MIB) };
    const head = signedHeaders({ method: 'POST', path: `/${Bucket}?delete`, host, keys, headers });
    const response = await sendBytes(server.s3Port, headText('POST', `/${Bucket}?delete`, head));
    expect(response).toContain('<Code>MaxMessageLengthExceeded</Code>');
  });

  it('that turns out to be too long is rejected, and its client reads that once it has sent everything', async () => {
    const path = `/${Bucket}?delete`;
    const headers = { 'transfer-encoding': 'chunked' };
    const head = signedHeaders({ method: 'POST', path, host, keys, headers });
    const chunk = `10000\r\n${'x'.repeat(64 * 1024)}\r\n`;
    const body = `${chunk.repeat(100)}0\r\n\r\n`;
    const next = headText('GET', `/${Bucket}?max-keys=1`, { host });
    const socket = connect(server.s3Port, '127.0.0.1').pause();
    await new Promise((resolve) => socket.write(headText('POST', path, head) + body + next, resolve));
    let said = '';
    for await (const bytes of socket.setEncoding('latin1')) {
      said += bytes;
      if (said.includes('<Code>AccessDenied</Code>')) break;
    }
    expect(said.match(/<Code>\w+/g)).toEqual(['<Code>MaxMessageLengthExceeded', '<Code>AccessDenied']);
  });
});

/** The head of a chunked upload, and the key and first signature of their chain. */
function chunkedHead(path: string, decoded: number, length: number, payload = SIGNED, more = {}) {
  const headers = signedHeaders({
    ...{ method: 'PUT', path, host, keys, payload },
    headers: {
      'content-encoding': 'aws-chunked',
      'content-length': String(length),
      'x-amz-decoded-content-length': String(decoded),
      ...more,
    },
  });
  const date = headers['x-amz-date'] ?? '';
  const day = date.slice(0, 8);
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = [day, 'qc-south-1', 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${keys.secretAccessKey}`,
  );
  const scope = `${day}/qc-south-1/s3/aws4_request`;
  let previous = /Signature=(\w+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const chunk = (content: string) => {
    const text = ['AWS4-HMAC-SHA256-PAYLOAD', date, scope, previous, sha256(''), sha256(content)].join('\n');
    previous = hmac(key, text).toString('hex');
    return `${content.length.toString(16)};chunk-signature=${previous}\r\n${content}\r\n`;
  };
  return { head: headText('PUT', path, headers), chunk };
}

describe('a chunked upload', () => {
  const path = `/${Bucket}/chunked`;
  /** Sends a body made of chunks, and returns the status and code of the response. */
  async function send(
    make: (chunk: (content: string) => string) => string,
    { decoded = 10, payload = SIGNED, more = {}, missing = 0 } = {},
  ): Promise<string> {
    const length = Buffer.byteLength(make(chunkedHead(path, decoded, 0, payload, more).chunk)) + missing;
    const { head, chunk } = chunkedHead(path, decoded, length, payload, more);
    const response = await sendBytes(server.s3Port, head + make(chunk));
    const code = /<Code>(\w+)</.exec(response)?.[1];
    return `${response.slice(9, 12)}${code === undefined ? '' : ` ${code}`}`;
  }
  const trailing = {
    payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    more: { 'x-amz-trailer': 'x-amz-checksum-crc32' },
  };

  it('is stored when every chunk is signed in order', async () => {
    expect(await send((chunk) => chunk('01234') + chunk('56789') + chunk(''))).toBe('200');
    const { text, headers } = await ask('GET', '/chunked');
    expect([text, headers['content-encoding']]).toEqual(['0123456789', undefined]);
    expect(await asked('DELETE', '/chunked')).toBe('204');
  });

  it.each<[string, (chunk: (content: string) => string) => string, string]>([
    [
      'a changed byte',
      (chunk) => chunk('0123456789').replace('0123456789', '01234X6789') + chunk(''),
      '403 SignatureDoesNotMatch',
    ],
    [
      'chunks in another order',
      (chunk) => [chunk('01234'), chunk('56789')].reverse().join('') + chunk(''),
      '403 SignatureDoesNotMatch',
    ],
    ['an unsigned chunk', () => 'a\r\n0123456789\r\n0\r\n\r\n', '403 SignatureDoesNotMatch'],
    [
      'more than was announced',
      (chunk) => chunk('0123456789') + chunk('0') + chunk(''),
      '400 IncompleteBody',
    ],
    ['less than was announced', (chunk) => chunk('01234') + chunk(''), '400 IncompleteBody'],
    ['a size that is none', () => 'zz;chunk-signature=\r\n', '400 IncompleteBody'],
    ['a negative size', () => '-1\r\n', '400 IncompleteBody'],
    ['a size beyond every limit', () => 'ffffffffffff\r\n', '400 IncompleteBody'],
    ['a line without an end', () => 'a'.repeat(100_000), '400 IncompleteBody'],
    [
      'a trailer that was not announced',
      (chunk) => `${chunk('0123456789')}${chunk('').slice(0, -2)}a:b\r\n\r\n`,
      '400 MalformedTrailerError',
    ],
    ['something behind its end', (chunk) => `${chunk('0123456789')}${chunk('')}more`, '400 InvalidRequest'],
    ['no last chunk', (chunk) => chunk('0123456789'), '400 IncompleteBody'],
  ])('is rejected with %s, and stores nothing', async (_, make, response) => {
    expect(await send(make)).toBe(response);
    expect(await asked('GET', '/chunked')).toBe('404 NoSuchKey');
  });

  it('is rejected with a trailer that is wrong or missing', async () => {
    const body = (trailer: string) => () => `a\r\n0123456789\r\n0\r\n${trailer}\r\n`;
    expect(await send(body('x-amz-checksum-crc32:AAAAAA==\r\n'), trailing)).toBe('400 BadDigest');
    expect(await send(body(''), trailing)).toBe('400 MalformedTrailerError');
    expect(await send(body('x-amz-checksum-crc32:x\r\n'), trailing)).toBe('400 InvalidRequest');
    const other = 'x-amz-checksum-sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n';
    expect(await send(body(other), trailing)).toBe('400 MalformedTrailerError');
    const twice = { ...trailing, more: { ...trailing.more, 'x-amz-checksum-crc32': 'AAAAAA==' } };
    expect(await send(body('x-amz-checksum-crc32:AAAAAA==\r\n'), twice)).toBe('400 InvalidRequest');
    expect(await asked('GET', '/chunked')).toBe('404 NoSuchKey');
  });

  it('may also come from an SDK’s stream without a content-length', async () => {
    const Body = Readable.from([Buffer.from('01234'), Buffer.from('56789')]);
    await client.send(new PutObjectCommand({ Bucket, Key: 'streamed', Body, ContentLength: 10 }));
    expect((await ask('GET', '/streamed')).text).toBe('0123456789');
  });
});

describe('a request without a body', () => {
  const sent = (method: string, path: string, by = keys) => {
    const head = signedHeaders({ method, path, host, keys: by });
    return sendBytes(server.s3Port, headText(method, path, head));
  };

  it('is told so where S3 wants a document', async () => {
    expect(await asked('POST', '/?delete', { body: '' })).toBe('400 MissingRequestBodyError');
    expect(await sent('PUT', `/${Bucket}/?tagging`)).toContain('<Code>MissingRequestBodyError</Code>');
  });

  it('needs no length, which curl does not send, unless it stores an object', async () => {
    const maker = await owner.createKeys([], ['read', 'write'], { may_create_buckets: true });
    expect(await sent('PUT', '/without-a-length', maker)).toContain('HTTP/1.1 200 ');
    expect(await sent('PUT', '/without-a-length/a', maker)).toContain('<Code>MissingContentLength</Code>');
  });
});

describe('a request', () => {
  it('that is too large is rejected before its body is read', async () => {
    const headers = { 'content-length': String(5 * 1024 * MIB + 1) };
    const head = signedHeaders({ method: 'PUT', path: `/${Bucket}/huge`, host, keys, headers });
    expect(await sendBytes(server.s3Port, headText('PUT', `/${Bucket}/huge`, head))).toContain(
      '<Code>EntityTooLarge</Code>',
    );
  });

  it('is told why it was refused, although it has not sent everything yet', async () => {
    const wrong = { ...keys, secretAccessKey: 'no'.repeat(20) };
    const body = Buffer.alloc(20 * MIB);
    expect(await asked('PUT', '/large', { keys: wrong, body })).toBe('403 SignatureDoesNotMatch');
    const headers = { 'x-amz-acl': 'public-read' };
    expect(await asked('PUT', '/large', { body, headers })).toBe('400 AccessControlListNotSupported');
  });

  it.each([
    ['a key of 1,025 bytes', 'PUT', `/${'é'.repeat(512)}x`.replaceAll('é', '%C3%A9'), '400 KeyTooLongError'],
    ['NUL in a key', 'PUT', '/a%00b', '400 InvalidURI'],
    ['a key that is not UTF-8', 'PUT', '/%ff', '400 InvalidURI'],
    ['NUL in a prefix', 'GET', '?prefix=%00', '400 InvalidURI'],
    ['NUL in a marker', 'GET', '?marker=a%00', '400 InvalidURI'],
    ['NUL in a token', 'GET', '?list-type=2&continuation-token=AA', '400 InvalidArgument'],
    ['NUL in the id of an upload', 'GET', '/a?uploadId=%00', '400 InvalidURI'],
    ['a number that is none', 'GET', '?max-keys=-1', '400 InvalidArgument'],
  ])('with %s is rejected', async (_, method, path, response) => {
    expect(await asked(method, path)).toBe(response);
  });

  it.each([
    ['content-md5', 'AAAAAAAAAAAAAAAAAAAAAA==', '400 BadDigest'],
    ['content-md5', 'nonsense', '400 InvalidDigest'],
    ['x-amz-checksum-sha256', Buffer.alloc(32).toString('base64'), '400 BadDigest'],
    ['x-amz-checksum-crc32c', 'AAAAAA==', '400 BadDigest'],
    ['x-amz-checksum-crc64nvme', 'x', '400 InvalidRequest'],
    // Content whose checksum cannot be verified here is not stored as if it had been.
    ['x-amz-checksum-blake3', 'LQaABTjTlMI=', '400 InvalidRequest'],
    ['x-amz-sdk-checksum-algorithm', 'BLAKE3', '400 InvalidRequest'],
    ['x-amz-checksum-xxhash3', 'LQaABTjTlMI=', '400 BadDigest'],
    ['x-amz-checksum-sha512', 'AAAA', '400 InvalidRequest'],
    ['x-amz-checksum-md5', 'AAAAAAAAAAAAAAAAAAAAAA==', '400 BadDigest'],
  ])('with a wrong %s (%s) stores nothing', async (name, value, response) => {
    const before = await storedFiles();
    expect(await asked('PUT', '/wrong', { headers: { [name]: value }, body: 'content' })).toBe(response);
    expect(await asked('GET', '/wrong')).toBe('404 NoSuchKey');
    expect(await storedFiles()).toEqual(before);
  });

  it('that is interrupted leaves nothing', async () => {
    const before = await storedFiles();
    const path = `/${Bucket}/cut`;
    const headers = { 'content-length': String(10 * MIB) };
    const upload = startUpload('PUT', new URL(`http://${host}${path}`), {
      ...signedHeaders({ method: 'PUT', path, host, keys, headers }),
    });
    await upload.send(Buffer.alloc(MIB));
    await expect.poll(async () => (await storedFiles()).length).toBeGreaterThan(before.length);
    await upload.cut();
    await expect.poll(storedFiles, { timeout: 10_000 }).toEqual(before);
    expect(await asked('GET', '/cut')).toBe('404 NoSuchKey');
  });
});

it.each([
  [
    'a head of 40 KB',
    `GET / HTTP/1.1\r\nx-large: ${'x'.repeat(40_000)}\r\n\r\n`,
    'RequestHeaderSectionTooLarge',
  ],
  ['no HTTP', 'hello\r\n\r\n', 'BadRequest'],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', 'BadRequest'],
  [
    'two kinds of length',
    headText('PUT', '/a/b', { host: 'a', 'content-length': 3, 'transfer-encoding': 'chunked' }),
    'BadRequest',
  ],
])('%s is answered in S3’s words, with a request id', async (_, bytes, code) => {
  const response = await sendBytes(server.s3Port, bytes);
  expect(response).toMatch(
    /^HTTP\/1.1 400 Bad Request\r\nx-amz-request-id: (\w+)\r\nx-amz-id-2: (\w+)\r\n[\s\S]*<RequestId>\1<\/RequestId><HostId>\2</,
  );
  expect(response).toContain(`<Code>${code}</Code>`);
});

it.each([
  ['two hosts', 'GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n', '400 Bad Request', 'BadRequest'],
  [
    'a transfer coding besides chunks',
    headText('PUT', '/a/b', { host: 'a', 'transfer-encoding': 'gzip, chunked' }),
    '501 Not Implemented',
    'NotImplemented',
  ],
])('%s are not guessed at', async (_, bytes, status, code) => {
  const response = await sendBytes(server.s3Port, bytes);
  expect(response.slice(9, response.indexOf('\r\n'))).toBe(status);
  expect(response).toContain(`<Code>${code}</Code>`);
});

it('two hundred clients that send nothing leave room for one that does', async () => {
  const idle: Socket[] = [];
  for (let count = 0; count < 200; count += 1) {
    const socket = connect(server.s3Port, '127.0.0.1').on('error', () => undefined);
    idle.push(socket);
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await asked('GET', '?max-keys=1')).toBe('200');
  for (const socket of idle) socket.destroy();
});

it('an overwritten object is read completely, old or new, and copied completely', async () => {
  // One of two lies in the database, the other in the store.
  const content = (n: number) => Buffer.alloc((n % 2 === 0 ? 1_000 : 10_000) + n, n);
  const isWhole = (bytes: Buffer) => bytes.equals(content(bytes[0] ?? 0));
  const put = (Key: string, n: number) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body: content(n) }));
  await put('over', 0);
  const problems: string[] = [];
  const writing = (async () => {
    for (let n = 1; n < 120; n += 1) await put('over', n);
  })();
  let isOver = false;
  void writing.finally(() => {
    isOver = true;
  });
  const read = async () => {
    while (!isOver) {
      const response = await client.send(new GetObjectCommand({ Bucket, Key: 'over' }));
      const bytes = Buffer.from((await response.Body?.transformToByteArray()) ?? []);
      if (!isWhole(bytes)) problems.push(`read ${bytes.length}`);
    }
  };
  await Promise.all([writing, read(), read(), read()]);
  expect(problems).toEqual([]);
});

it('memory does not grow with the object', async () => {
  const residentMib = async () => {
    const status = await readFile(`/proc/${server.processId()}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  const block = Buffer.alloc(MIB, 7);
  const path = `/${Bucket}/300MiB`;
  const before = await residentMib();
  const length = { 'content-length': String(300 * MIB) };
  const head = signedHeaders({ method: 'PUT', path, host, keys, headers: length });
  const upload = startUpload('PUT', new URL(`http://${host}${path}`), head);
  let most = 0;
  for (let count = 0; count < 300; count += 1) {
    await upload.send(block);
    if (count % 30 === 0) most = Math.max(most, await residentMib());
  }
  expect((await upload.finish()).status).toBe(200);
  const response = await fetch(`http://${host}${path}`, {
    headers: signedHeaders({ method: 'GET', path, host, keys }),
  });
  let read = 0;
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    read += bytes.length;
    if (read % (32 * MIB) < bytes.length) most = Math.max(most, await residentMib());
  }
  expect(read).toBe(300 * MIB);
  expect(most - before).toBeLessThan(200);
  expect(await asked('DELETE', '/300MiB')).toBe('204');
});

it('killed during uploads, it has every object that it acknowledged, complete, and nothing torn', async () => {
  const written = new Map<string, string>();
  // One of two lies in the database, the other in the store.
  const contentOf = (key: string) => `${key} `.repeat(key.endsWith('0') ? 5_000 : 50);
  for (let round = 0; round < 3; round += 1) {
    let isKilled = false;
    let acknowledged = 0;
    const upload = async (worker: number) => {
      for (let n = 0; !isKilled; n += 1) {
        const key = `crash/${round}-${worker}-${n}-${n % 2}`;
        const response = await ask('PUT', `/${key}`, { body: contentOf(key) }).catch(() => null);
        if (response?.status !== 200) continue;
        written.set(key, key);
        acknowledged += 1;
        if (acknowledged === 15 + round * 7) {
          isKilled = true;
          await server.kill();
        }
      }
    };
    await Promise.all([0, 1, 2, 3].map(upload));
    await server.start();
  }
  const listed: string[] = [];
  let ContinuationToken: string | undefined;
  do {
    const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'crash/', ContinuationToken }));
    listed.push(...(page.Contents ?? []).map(({ Key }) => Key ?? ''));
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
  expect([...written.keys()].filter((key) => !listed.includes(key))).toEqual([]);
  const torn: string[] = [];
  for (const key of listed) {
    const { status, text } = await ask('GET', `/${key}`);
    if (status !== 200 || text !== contentOf(key)) torn.push(key);
  }
  expect(torn).toEqual([]);
});
