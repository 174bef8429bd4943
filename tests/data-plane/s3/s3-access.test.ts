import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { shareServer } from '#tests/support/server/share-server.ts';
import type { RunningServer } from '#tests/support/server/test-server.ts';
import { type BucketOwner, registerBucketOwner, type S3Keys } from '#tests/support/storage/s3-client.ts';
import { type S3Reply, sendS3, signAndSend } from '#tests/support/storage/s3-raw.ts';
import { presignedPath, signedHeaders } from '#tests/support/storage/s3-signing.ts';

let server: RunningServer;
let owner: BucketOwner;
let keys: S3Keys & { id: string };
let reader: S3Keys;
let stranger: S3Keys;
let client: S3Client;
let host: string;
let bucketId: string;

beforeAll(async () => {
  server = shareServer();
  host = `127.0.0.1:${server.s3Port}`;
  owner = await registerBucketOwner(server);
  bucketId = (await owner.createBucket('mine')).id;
  await owner.createBucket('mine-too');
  keys = await owner.createKeys([bucketId]);
  reader = await owner.createKeys([bucketId], ['read']);
  const other = await registerBucketOwner(server);
  stranger = await other.createKeys([(await other.createBucket('theirs')).id]);
  client = owner.client(keys);
  await client.send(new PutObjectCommand({ Bucket: 'mine', Key: 'a.txt', Body: 'content' }));
});

const ask = (method: string, path: string, more: Partial<Parameters<typeof signAndSend>[1]> = {}) =>
  signAndSend(server.s3Port, { method, path, keys, ...more });
const told = ({ status, code }: S3Reply) => (code === null ? `${status}` : `${status} ${code}`);
const asked = async (method: string, path: string, more: Partial<Parameters<typeof signAndSend>[1]> = {}) =>
  told(await ask(method, path, more));

describe('a credential', () => {
  it('can access its own buckets, and read or write according to its scope', async () => {
    expect(await asked('GET', '/mine/a.txt')).toBe('200');
    expect(await asked('GET', '/mine/a.txt', { keys: reader })).toBe('200');
    expect(await asked('PUT', '/mine/b.txt', { keys: reader, body: 'x' })).toBe('403 AccessDenied');
    expect(await asked('DELETE', '/mine/a.txt', { keys: reader })).toBe('403 AccessDenied');
    expect(await asked('POST', '/mine/a.txt?uploads', { keys: reader })).toBe('403 AccessDenied');
    expect(await asked('GET', '/mine-too/?list-type=2')).toBe('403 AccessDenied');
    expect(await asked('GET', '/theirs/?list-type=2')).toBe('403 AccessDenied');
    expect(await asked('GET', '/mine/a.txt', { keys: stranger })).toBe('403 AccessDenied');
    expect(await asked('GET', '/nobodys/a.txt')).toBe('404 NoSuchBucket');
    const list = await ask('GET', '/');
    expect([...list.text.matchAll(/<Name>([^<]+)/g)].map(([, name]) => name)).toEqual(['mine']);
  });

  it.each([
    ['mine', '400 InvalidArgument'],
    ['mine/', '400 InvalidArgument'],
    ['mine/%zz', '400 InvalidArgument'],
    ['my_bucket/a.txt', '400 InvalidArgument'],
    ['nobodys/a.txt', '404 NoSuchBucket'],
    ['mine/missing', '404 NoSuchKey'],
    ['mine/a.txt?versionId=null', '200'],
    ['192.168.1.1/a.txt', '400 InvalidArgument'],
    ['mine/a.txt?versionId=3HL4kqtJlcpXroDTDmJ', '400 InvalidArgument'],
    ['/mine/a%2Etxt', '200'],
  ])('copies from %s: %s', async (source, response) => {
    const headers = { 'x-amz-copy-source': source };
    expect(await asked('PUT', '/mine/copied', { headers, body: '' })).toBe(response);
  });

  it('copies from a source that is encoded like a form', async () => {
    await ask('PUT', '/mine/with%20spaces', { body: 'x' });
    await ask('PUT', '/mine/with%2Bsign', { body: 'y' });
    for (const source of ['mine%2Fwith+spaces', 'mine/with%2Bsign']) {
      const headers = { 'x-amz-copy-source': source };
      expect(await asked('PUT', '/mine/copied', { headers, body: '' })).toBe('200');
    }
  });

  it('copies by PUT alone', async () => {
    const headers = { 'x-amz-copy-source': 'mine/a.txt' };
    for (const method of ['GET', 'DELETE']) {
      expect(await asked(method, '/mine/copied', { headers })).toBe('400 InvalidArgument');
    }
  });

  it('copies nothing out of a bucket that it may not read', async () => {
    const headers = { 'x-amz-copy-source': '/theirs/secret' };
    expect(await asked('PUT', '/mine/copied', { headers, body: '' })).toBe('403 AccessDenied');
  });

  it('can name the expected owner', async () => {
    const expecting = (id: string) => ({ headers: { 'x-amz-expected-bucket-owner': id } });
    const owned = /<ID>([^<]+)</.exec((await ask('GET', '/')).text)?.[1] ?? '';
    expect(await asked('GET', '/mine/a.txt', expecting(owned))).toBe('200');
    expect(await asked('GET', '/mine/a.txt', expecting('123456789012'))).toBe('403 AccessDenied');
    expect(await asked('GET', '/mine/a.txt', expecting('somebody'))).toBe(
      '400 InvalidBucketOwnerAWSAccountID',
    );
  });

  it('loses access within five seconds of a change of scope, and all of it when it is deleted', async () => {
    const given = await owner.createKeys([bucketId]);
    expect(await asked('PUT', '/mine/c.txt', { keys: given, body: 'x' })).toBe('200');
    const { person } = owner.deployer;
    const path = `/api/v1/credentials/${given.id}`;
    const scopes = [{ resource_type: 'bucket', resource_id: bucketId, permissions: ['read'] }];
    expect((await person('PUT', `${path}/scopes`, { json: { scopes } })).status).toBe(200);
    await expect
      .poll(() => asked('PUT', '/mine/c.txt', { keys: given, body: 'x' }), { timeout: 10_000 })
      .toBe('403 AccessDenied');
    expect(await asked('GET', '/mine/c.txt', { keys: given })).toBe('200');
    expect((await person('DELETE', path)).status).toBeLessThan(300);
    await expect
      .poll(() => asked('GET', '/mine/c.txt', { keys: given }), { timeout: 10_000 })
      .toBe('403 InvalidAccessKeyId');
  });

  it('changes nothing when it is deleted while a change is being sent', async () => {
    const lost = await owner.createKeys([bucketId]);
    const body = 'no change';
    const whole = {
      'content-length': String(body.length),
      'content-md5': createHash('md5').update(body).digest('base64'),
    };
    const paths = ['?cors', '?tagging', '?policy', '?publicAccessBlock', '/a.txt?tagging', '/late.txt'];
    const changes = [...paths.map((path) => ['PUT', `/mine${path}`]), ['POST', '/mine?delete']] as const;
    const sending = changes.map(([method = '', path = '']) => {
      const headers = { ...whole, ...signedHeaders({ method, path, host, keys: lost }) };
      const sent = request({ port: server.s3Port, method, path, headers });
      sent.flushHeaders();
      return { sent, answered: once(sent, 'response') };
    });
    // All of them have been admitted by then.
    expect(await asked('GET', '/mine/a.txt', { keys: lost })).toBe('200');
    await owner.deployer.person('DELETE', `/api/v1/credentials/${lost.id}`);
    const isLost = () => asked('GET', '/mine/a.txt', { keys: lost });
    await expect.poll(isLost, { timeout: 10_000 }).toBe('403 InvalidAccessKeyId');
    const responses = sending.map(async ({ sent, answered }) => {
      sent.end(body);
      const [response] = (await answered) as [IncomingMessage];
      return /<Code>(\w+)/.exec(await text(response))?.[1];
    });
    expect(await Promise.all(responses)).toEqual(changes.map(() => 'AccessDenied'));
  });

  it('finds no bucket that its owner has deleted', async () => {
    const { id } = await owner.createBucket('short-lived');
    const given = await owner.createKeys([id]);
    expect(await asked('PUT', '/short-lived/x', { keys: given, body: 'x' })).toBe('200');
    expect((await owner.deployer.person('DELETE', `/api/v1/storage/buckets/${id}`)).status).toBeLessThan(300);
    expect(await asked('GET', '/short-lived/x', { keys: given })).toBe('404 NoSuchBucket');
    expect(await asked('PUT', '/short-lived/x', { keys: given, body: 'x' })).toBe('404 NoSuchBucket');
  });
});

describe('a signature', () => {
  it('is required, and must be valid', async () => {
    const plain = await sendS3(server.s3Port, { method: 'GET', path: '/mine/a.txt', headers: { host } });
    expect(told(plain)).toBe('403 AccessDenied');
    const wrong = { ...keys, secretAccessKey: `${keys.secretAccessKey.slice(0, -1)}_` };
    expect(await asked('GET', '/mine/a.txt', { keys: wrong })).toBe('403 SignatureDoesNotMatch');
    const unknown = { ...keys, accessKeyId: `${keys.accessKeyId.slice(0, -4)}0000` };
    expect(await asked('GET', '/mine/a.txt', { keys: unknown })).toBe('403 InvalidAccessKeyId');
    const at = (minutes: number) => ({ at: new Date(Date.now() + minutes * 60_000) });
    expect(await asked('GET', '/mine/a.txt', at(-16))).toBe('403 RequestTimeTooSkewed');
    expect(await asked('GET', '/mine/a.txt', at(16))).toBe('403 RequestTimeTooSkewed');
    expect(await asked('GET', '/mine/a.txt', at(14))).toBe('200');
  });

  it('covers method, path, query, signed headers, and every x-amz header', async () => {
    const headers = signedHeaders({ method: 'GET', path: '/mine/?prefix=a', host, keys });
    const send = async (method: string, path: string, more = {}) =>
      told(await sendS3(server.s3Port, { method, path, headers: { ...headers, ...more } }));
    expect(await send('GET', '/mine/?prefix=a')).toBe('200');
    for (const [method, path] of [
      ['HEAD', '/mine/?prefix=a'],
      ['GET', '/mine/?prefix=b'],
      ['GET', '/mine/?prefix=a&prefix=b'],
      ['GET', '/mine/a.txt'],
    ] as const) {
      expect(await send(method, path)).toMatch(/^403/);
    }
    expect(await send('GET', '/mine/?prefix=a', { 'x-amz-request-payer': 'requester' })).toBe(
      '403 AccessDenied',
    );
    const added = { 'x-amz-meta-a': 'b', 'x-amz-tagging': 'c=d' };
    const unsigned = { headers: added, unsigned: Object.keys(added), body: 'x' };
    const refused = await ask('PUT', '/mine/unsigned', unsigned);
    expect(told(refused)).toBe('403 AccessDenied');
    expect(refused.text).toContain('<HeadersNotSigned>x-amz-meta-a, x-amz-tagging</HeadersNotSigned>');
  });

  it('of the body is of this body', async () => {
    const payload = '0'.repeat(64);
    const spooled = Buffer.alloc(200_000, 'x');
    for (const [path, body] of [
      ['/mine/body', 'x'],
      ['/mine/body', spooled],
      ['/mine/body?tagging', '<Tagging><TagSet/></Tagging>'],
    ] as const) {
      expect(await asked('PUT', path, { payload, body })).toBe('400 XAmzContentSHA256Mismatch');
    }
    expect(await asked('GET', '/mine/body')).toBe('404 NoSuchKey');
    const signed = { payload: createHash('sha256').update(spooled).digest('hex'), body: spooled };
    expect(await asked('PUT', '/mine/body', signed)).toBe('200');
    expect(await asked('PUT', '/mine/body', { payload: 'nonsense', body: 'x' })).toBe('400 InvalidArgument');
  });

  it('occurs once, and in version 4', async () => {
    const path = presignedPath({ method: 'GET', path: '/mine/a.txt', host, keys, seconds: 60 });
    expect(await asked('GET', path)).toBe('400 InvalidArgument');
    const headers = { host, authorization: 'AWS AKIA:c2lnbmF0dXJl' };
    expect(told(await sendS3(server.s3Port, { method: 'GET', path: '/mine/a.txt', headers }))).toBe(
      '400 InvalidRequest',
    );
  });
});

it('the token of a session is refused with the key of none, wherever it stands', async () => {
  const headers = { 'x-amz-security-token': 'left-over' };
  const answered = await ask('GET', '/mine/a.txt', { headers });
  expect([told(answered), answered.text]).toEqual([
    '400 InvalidToken',
    expect.stringContaining('<Token-0>left-over</Token-0>'),
  ]);
  const path = '/mine/a.txt?X-Amz-Security-Token=left-over';
  const presigned = presignedPath({ method: 'GET', path, host, keys, seconds: 60 });
  const opened = await sendS3(server.s3Port, { method: 'GET', path: presigned, headers: { host } });
  expect(told(opened)).toBe('400 InvalidToken');
  const wrong = { ...keys, secretAccessKey: 'no'.repeat(20) };
  expect(await asked('GET', '/mine/a.txt', { headers, keys: wrong })).toBe('403 SignatureDoesNotMatch');
});

describe('a presigned address', () => {
  const fetched = async (
    method: string,
    path: string,
    init: { seconds?: number; at?: Date } = {},
    body?: string,
  ) => {
    const signed = presignedPath({ method, path, host, keys, seconds: 60, ...init });
    const response = await fetch(`http://${host}${signed}`, { method, body });
    const text = await response.text();
    return { signed, status: response.status, text };
  };

  it('reads and writes for its holder, until it expires', async () => {
    expect(await fetched('PUT', '/mine/pre%20signed', {}, 'by fetch')).toMatchObject({ status: 200 });
    expect(await fetched('GET', '/mine/pre%20signed')).toMatchObject({ status: 200, text: 'by fetch' });
    const ago = new Date(Date.now() - 61_000);
    const expired = await fetched('GET', '/mine/a.txt', { at: ago });
    expect([expired.status, expired.text]).toEqual([403, expect.stringContaining('Request has expired')]);
    // A person who opens it in a browser gets a page.
    const opened = await fetch(`http://${host}${expired.signed}`, { headers: { accept: 'text/html' } });
    expect([opened.status, opened.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect(await opened.text()).toContain('This link does not work');
    const early = await fetched('GET', '/mine/a.txt', { at: new Date(Date.now() + 20 * 60_000) });
    expect([early.status, early.text]).toEqual([403, expect.stringContaining('not yet valid')]);
    expect((await fetched('GET', '/mine/a.txt', { seconds: 604_801 })).status).toBe(400);
  });

  it('is valid for exactly what was signed', async () => {
    const { signed } = await fetched('GET', '/mine/a.txt');
    const status = async (path: string, init: RequestInit = {}) =>
      (await fetch(`http://${host}${path}`, init)).status;
    expect(await status(signed.replace('Expires=60', 'Expires=600'))).toBe(403);
    expect(await status(signed.replace('a.txt', 'b.txt'))).toBe(403);
    expect(await status(`${signed}&response-content-type=text%2Fhtml`)).toBe(403);
    expect(await status(signed, { method: 'PUT', body: 'x' })).toBe(403);
    expect(await status(signed, { headers: { 'x-amz-meta-a': 'b' } })).toBe(403);
  });

  it('says what the headers of its request would, as SDKs write it', async () => {
    const stored = '/mine/said-in-query';
    // The checksum of nothing, which the AWS SDK for JavaScript adds, is not one of the content.
    const added = 'x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32&x-amz-tagging=a%3Db';
    const put = await fetched('PUT', `${stored}?x-amz-meta-place=Montr%C3%A9al&${added}`, {}, 'content');
    expect(put).toMatchObject({ status: 200 });
    const head = await ask('HEAD', stored);
    expect(head.headers).toMatchObject({ 'x-amz-meta-place': Buffer.from('Montréal').toString('latin1') });
    expect(head.headers).not.toHaveProperty('x-amz-tagging-count');
    const copied = await fetched('PUT', '/mine/copied?x-amz-copy-source=mine%2Fsaid-in-query');
    expect([copied.status, copied.text]).toEqual([200, expect.stringContaining('<CopyObjectResult')]);
    expect(await ask('GET', '/mine/copied')).toMatchObject({ status: 200, text: 'content' });
    const attributes = await fetched('GET', `${stored}?attributes=&x-amz-object-attributes=ObjectSize`);
    expect(attributes.text).toContain('<ObjectSize>7</ObjectSize>');
    const refused = [
      ['if-none-match=%2A', 412, 'PreconditionFailed'],
      ['if-match=d41d8cd98f00b204e9800998ecf8427e', 412, 'PreconditionFailed'],
      ['x-amz-acl=public-read', 400, 'AccessControlListNotSupported'],
      ['x-amz-expected-bucket-owner=123456789012', 403, 'AccessDenied'],
    ] as const;
    for (const [query, status, code] of refused) {
      const { text, ...said } = await fetched('PUT', `${stored}?${query}`, {}, 'other');
      expect([said.status, text]).toEqual([status, expect.stringContaining(`<Code>${code}</Code>`)]);
    }
    // A header that is not signed does not take the condition away.
    const { signed } = await fetched('GET', stored);
    const once = presignedPath({
      method: 'PUT',
      path: `${stored}?if-none-match=%2A`,
      host,
      keys,
      seconds: 60,
    });
    const headers = { 'if-none-match': '"other"' };
    expect((await fetch(`http://${host}${once}`, { method: 'PUT', body: 'other', headers })).status).toBe(
      412,
    );
    expect(await (await fetch(`http://${host}${signed}`)).text()).toBe('content');
  });

  it('alone says so: in the query of other requests such names mean nothing', async () => {
    expect(await asked('PUT', '/mine/not-said?x-amz-meta-a=b&if-match=c', { body: 'x' })).toBe('200');
    expect((await ask('HEAD', '/mine/not-said')).headers).not.toHaveProperty('x-amz-meta-a');
  });
});

describe('the address', () => {
  it('may contain the bucket in its host', async () => {
    const virtual = `mine.s3.localhost:${server.s3Port}`;
    const response = await ask('GET', '/a.txt', { host: virtual });
    expect([response.status, response.text]).toEqual([200, 'content']);
    expect(await asked('GET', '/?list-type=2&prefix=a', { host: virtual })).toBe('200');
    expect(await asked('GET', '/a.txt', { host: `theirs.s3.localhost:${server.s3Port}` })).toBe(
      '403 AccessDenied',
    );
  });
});
