import { createHash } from 'node:crypto';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BucketOwner, registerBucketOwner, type S3Keys } from '#tests/support/s3-client.ts';
import { type S3Reply, sendS3, signAndSend } from '#tests/support/s3-raw.ts';
import { oldPostFields, postFields, presignedPath, signedHeaders } from '#tests/support/s3-signing.ts';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';

const ORIGIN = 'https://app.example.ca';
let server: TestServer;
let owner: BucketOwner;
let keys: S3Keys & { id: string };
let reader: S3Keys;
let stranger: S3Keys;
let client: S3Client;
let host: string;
let bucketId: string;

beforeAll(async () => {
  server = await startTestServer({ BILLING_MODE: 'off' });
  host = `127.0.0.1:${server.s3Port}`;
  owner = await registerBucketOwner(server);
  const cors = { cors_enabled: true, cors_origins: [ORIGIN] };
  bucketId = (await owner.createBucket('mine', cors)).id;
  await owner.createBucket('mine-too');
  keys = await owner.createKeys([bucketId]);
  reader = await owner.createKeys([bucketId], ['read']);
  const other = await registerBucketOwner(server);
  stranger = await other.createKeys([(await other.createBucket('theirs')).id]);
  client = owner.client(keys);
  await client.send(new PutObjectCommand({ Bucket: 'mine', Key: 'a.txt', Body: 'content' }));
});
afterAll(() => server.close());

const ask = (method: string, path: string, more: Partial<Parameters<typeof signAndSend>[1]> = {}) =>
  signAndSend(server.s3Port, { method, path, keys, ...more });
const told = ({ status, code }: S3Reply) => (code === null ? `${status}` : `${status} ${code}`);
const asked = async (method: string, path: string, more: Partial<Parameters<typeof signAndSend>[1]> = {}) =>
  told(await ask(method, path, more));
const withPayload = (body: string) => ({ body });

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
    ['/mine/a%2Etxt', '200'],
  ])('copies from %s: %s', async (source, answer) => {
    const headers = { 'x-amz-copy-source': source };
    expect(await asked('PUT', '/mine/copied', { headers, body: '' })).toBe(answer);
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
    expect(await asked('GET', '/mine/a.txt', expecting('somebody'))).toBe('403 AccessDenied');
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
    const unsigned = { headers: { 'x-amz-meta-a': 'b' }, unsigned: ['x-amz-meta-a'], body: 'x' };
    expect(await asked('PUT', '/mine/unsigned', unsigned)).toBe('403 AccessDenied');
  });

  it('of the body is of this body', async () => {
    const payload = '0'.repeat(64);
    expect(await asked('PUT', '/mine/body', { payload, body: 'x' })).toBe('400 XAmzContentSHA256Mismatch');
    expect(await asked('GET', '/mine/body')).toBe('404 NoSuchKey');
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

describe('a presigned address', () => {
  const fetched = async (
    method: string,
    path: string,
    init: { seconds?: number; at?: Date } = {},
    body?: string,
  ) => {
    const signed = presignedPath({ method, path, host, keys, seconds: 60, ...init });
    const answer = await fetch(`http://${host}${signed}`, { method, body });
    const text = await answer.text();
    return { signed, status: answer.status, text };
  };

  it('reads and writes for its holder, until it expires', async () => {
    expect(await fetched('PUT', '/mine/pre%20signed', {}, 'by fetch')).toMatchObject({ status: 200 });
    expect(await fetched('GET', '/mine/pre%20signed')).toMatchObject({ status: 200, text: 'by fetch' });
    const ago = new Date(Date.now() - 61_000);
    const expired = await fetched('GET', '/mine/a.txt', { at: ago });
    expect([expired.status, expired.text]).toEqual([403, expect.stringContaining('Request has expired')]);
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
});

describe('the address', () => {
  it('may contain the bucket in its host', async () => {
    const virtual = `mine.s3.localhost:${server.s3Port}`;
    const answer = await ask('GET', '/a.txt', { host: virtual });
    expect([answer.status, answer.text]).toEqual([200, 'content']);
    expect(await asked('GET', '/?list-type=2&prefix=a', { host: virtual })).toBe('200');
    expect(await asked('GET', '/a.txt', { host: `theirs.s3.localhost:${server.s3Port}` })).toBe(
      '403 AccessDenied',
    );
  });
});

describe('another origin', () => {
  const preflight = (headers: object, path = '/mine/a.txt') =>
    sendS3(server.s3Port, { method: 'OPTIONS', path, headers: { host, ...headers } });

  it('is told what it may do', async () => {
    const asking = { origin: ORIGIN, 'access-control-request-method': 'PUT' };
    const answer = await preflight({ ...asking, 'access-control-request-headers': 'Content-Type, x-amz-a' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-headers': 'content-type, x-amz-a',
      'access-control-allow-methods': expect.stringContaining('PUT'),
      vary: expect.stringContaining('Origin'),
    });
    const refused = await preflight({ ...asking, origin: 'https://evil.example' });
    expect(told(refused)).toBe('403 AccessForbidden');
    expect(refused.text).toContain('<Method>PUT</Method><ResourceType>OBJECT</ResourceType>');
    const without = await preflight(asking, '/mine-too/a.txt');
    expect([told(without), without.text]).toEqual([
      '403 AccessForbidden',
      expect.stringContaining('CORS is not enabled for this bucket.'),
    ]);
  });

  it('is told what is wrong with its question', async () => {
    const asking = { origin: ORIGIN, 'access-control-request-method': 'PUT' };
    expect(told(await preflight(asking, '/nobodys/a.txt'))).toBe('404 NoSuchBucket');
    expect(told(await preflight({ origin: ORIGIN }))).toBe('400 BadRequest');
    expect(told(await preflight({ 'access-control-request-method': 'PUT' }))).toBe('400 BadRequest');
    for (const method of ['put', 'PATCH']) {
      expect(told(await preflight({ ...asking, 'access-control-request-method': method }))).toBe(
        '400 BadRequest',
      );
    }
    const header = { ...asking, 'access-control-request-headers': 'content-type, x(y)' };
    expect(told(await preflight(header))).toBe('400 BadRequest');
  });

  it('admits the pages of the console whatever the rules of a bucket, and lets them read what uploads need', async () => {
    const origin = server.consoleUrl;
    const rule = '<AllowedOrigin>*</AllowedOrigin><AllowedMethod>PUT</AllowedMethod>';
    const body = `<CORSConfiguration><CORSRule>${rule}</CORSRule></CORSConfiguration>`;
    const before = await ask('GET', '/mine?cors');
    expect(await asked('PUT', '/mine?cors', { body })).toBe('200');
    const put = await ask('PUT', '/mine/from-console', { headers: { origin }, body: 'x' });
    expect(put.headers['access-control-allow-origin']).toBe(origin);
    expect(put.headers['access-control-expose-headers']).toContain('ETag');
    expect(await asked('PUT', '/mine?cors', { body: before.text })).toBe('200');
    const asking = { origin, 'access-control-request-method': 'DELETE' };
    expect(told(await preflight(asking, '/mine-too/a.txt'))).toBe('200');
  });

  it('can read responses, and no other can', async () => {
    const allowed = async (origin: string) =>
      (await ask('GET', '/mine/a.txt', { headers: { origin } })).headers['access-control-allow-origin'];
    expect(await allowed(ORIGIN)).toBe(ORIGIN);
    expect(await allowed('https://evil.example')).toBeUndefined();
    const missing = await ask('GET', '/mine/missing', { headers: { origin: ORIGIN } });
    expect([missing.status, missing.headers['access-control-allow-origin']]).toEqual([404, ORIGIN]);
  });

  it('is allowed by rules that headers can express, and by no others', async () => {
    const rule = (inner: string) =>
      `<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod>${inner}</CORSRule></CORSConfiguration>`;
    const put = (inner: string) => asked('PUT', '/mine/?cors', withPayload(rule(inner)));
    expect(await put('<AllowedOrigin>*</AllowedOrigin><ExposeHeader>a\nb: c</ExposeHeader>')).toBe(
      '400 InvalidRequest',
    );
    expect(await put('<AllowedOrigin>https://*.*.ca</AllowedOrigin>')).toBe('400 InvalidRequest');
    expect(await put('')).toBe('400 MalformedXML');
  });
});

describe('a form', () => {
  const post = async (
    fields: Record<string, string>,
    { file = 'from a form', name = 'photo.png', bucket = 'mine' } = {},
  ) => {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set('file', new Blob([file]), name);
    const answer = await fetch(`http://${host}/${bucket}`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
    });
    const text = await answer.text();
    const code = /<Code>(\w+)</.exec(text)?.[1] ?? null;
    return { status: answer.status, code, text, headers: Object.fromEntries(answer.headers) };
  };
  const allowing = (...conditions: unknown[]) => [
    { bucket: 'mine' },
    ['starts-with', '$key', 'form/'],
    ...conditions,
  ];
  const posted = async (...given: Parameters<typeof post>) => told(await post(...given));

  it('stores what its policy allows, and responds as requested', async () => {
    expect(await posted({ key: 'form/1', ...postFields(keys, allowing()) })).toBe('204');
    expect((await ask('GET', '/mine/form/1')).text).toBe('from a form');
    const asking = (field: string, value: string) =>
      post({ key: 'form/2', [field]: value, ...postFields(keys, allowing({ [field]: value })) });
    expect((await asking('success_action_status', '200')).status).toBe(200);
    const created = await asking('success_action_status', '201');
    expect([created.status, created.text]).toEqual([201, expect.stringContaining('<Key>form/2</Key>')]);
    const moved = await asking('success_action_redirect', 'https://app.example.ca/done?a=b');
    expect(moved.status).toBe(303);
    expect(moved.headers.location).toMatch(
      /^https:\/\/app\.example\.ca\/done\?a=b&bucket=mine&key=form%2F2&etag=/,
    );
  });

  it('verifies the checksum that comes with it, and returns it', async () => {
    const posting = (...checksums: [string, string][]) =>
      post({
        key: 'form/sum',
        ...Object.fromEntries(checksums),
        ...postFields(keys, allowing(...checksums.map((sum) => Object.fromEntries([sum])))),
      });
    const right = createHash('sha256').update('from a form').digest('base64');
    const taken = await posting(['x-amz-checksum-sha256', right]);
    expect([taken.status, taken.headers['x-amz-checksum-sha256']]).toEqual([204, right]);
    const wrong = createHash('sha256').update('another').digest('base64');
    expect(told(await posting(['x-amz-checksum-sha256', wrong]))).toBe('400 BadDigest');
    expect(told(await posting(['x-amz-checksum-sha512', right]))).toBe('400 InvalidRequest');
    expect(told(await posting(['x-amz-checksum-crc32', right]))).toBe('400 InvalidRequest');
    const two = await posting(['x-amz-checksum-sha256', right], ['x-amz-checksum-crc32', 'AAAAAA==']);
    expect(told(two)).toBe('400 InvalidRequest');
  });

  it('may leave the file’s name to the browser, within its policy', async () => {
    expect(await posted({ key: `form/$${'{filename}'}`, ...postFields(keys, allowing()) })).toBe('204');
    expect(await asked('GET', '/mine/form/photo.png')).toBe('200');
    const named = [{ bucket: 'mine' }, ['starts-with', '$key', 'photo']];
    expect(await posted({ key: `$${'{filename}'}`, ...postFields(keys, named) })).toBe('204');
    expect(await posted({ key: `$${'{filename}'}`, ...postFields(keys, named) }, { name: 'else.png' })).toBe(
      '403 AccessDenied',
    );
  });

  it('is rejected beyond its policy', async () => {
    const fields = (...conditions: unknown[]) => ({
      key: 'form/x',
      ...postFields(keys, allowing(...conditions)),
    });
    expect(await posted({ ...fields(), key: 'elsewhere' })).toBe('403 AccessDenied');
    expect(await posted({ ...fields(), 'x-amz-meta-extra': 'x' })).toBe('403 AccessDenied');
    const past = postFields(keys, allowing(), new Date(Date.now() - 1_000));
    expect(await posted({ key: 'form/x', ...past })).toBe('403 AccessDenied');
    expect(await posted(fields(['content-length-range', 0, 3]))).toBe('400 EntityTooLarge');
    expect(await posted(fields(['content-length-range', 100, 200]))).toBe('400 EntityTooSmall');
    const bucketless = postFields(keys, [['starts-with', '$key', 'form/']]);
    expect(await posted({ key: 'form/x', ...bucketless })).toBe('403 AccessDenied');
    expect(await posted(fields(), { bucket: 'theirs' })).toBe('403 AccessDenied');
    expect(await posted({ ...fields(), 'x-amz-signature': '0'.repeat(64) })).toBe(
      '403 SignatureDoesNotMatch',
    );
    expect(await posted({ key: 'form/x' })).toBe('403 AccessDenied');
    const right: Record<string, string> = fields();
    const elsewhere = right['x-amz-credential']?.replace('qc-south-1', 'eu-west-1') ?? '';
    const wrongs: Record<string, string>[] = [
      { 'x-amz-credential': elsewhere },
      { 'x-amz-credential': 'x' },
      { 'x-amz-algorithm': 'x' },
      { 'x-amz-date': 'x' },
      { 'x-amz-signature': '' },
      { key: '' },
    ];
    for (const wrong of wrongs) expect(await posted({ ...right, ...wrong })).toBe('400 InvalidArgument');
    expect(await posted({ ...fields({ acl: 'public-read' }), acl: 'public-read' })).toBe(
      '400 AccessControlListNotSupported',
    );
    expect(await asked('GET', '/mine/form/x')).toBe('404 NoSuchKey');
    const reading = postFields(reader, allowing());
    expect(await posted({ key: 'form/x', ...reading })).toBe('403 AccessDenied');
  });
});

describe('a form signed in the older way', () => {
  const form = (fields: Record<string, string>) => {
    const body = new FormData();
    for (const [field, value] of Object.entries(fields)) body.set(field, value);
    body.set('file', new Blob(['old form']), 'old.txt');
    return fetch(`http://${host}/mine`, { method: 'POST', body });
  };
  const told = async (fields: Record<string, string>) => {
    const answer = await form(fields);
    const code = /<Code>(\w+)</.exec(await answer.text())?.[1];
    return code === undefined ? `${answer.status}` : `${answer.status} ${code}`;
  };
  const allowing = [{ bucket: 'mine' }, ['starts-with', '$key', 'form/']];
  const fields = (): Record<string, string> => ({ key: 'form/old', ...oldPostFields(keys, allowing) });

  it('stores what its policy allows', async () => {
    expect(await told(fields())).toBe('204');
    expect((await ask('GET', '/mine/form/old')).text).toBe('old form');
  });

  it('is rejected beyond its policy, later, and with another signature', async () => {
    expect(await told({ ...fields(), key: 'elsewhere' })).toBe('403 AccessDenied');
    expect(await told({ ...fields(), signature: 'AAAA' })).toBe('403 SignatureDoesNotMatch');
    expect(await told({ ...fields(), AWSAccessKeyId: 'nobody' })).toBe('403 InvalidAccessKeyId');
    const past = oldPostFields(keys, allowing, new Date(Date.now() - 1_000));
    expect(await told({ key: 'form/old', ...past })).toBe('403 AccessDenied');
    const { signature: _, ...unsigned } = fields();
    expect(await told(unsigned)).toBe('400 InvalidArgument');
    const { policy: __, ...free } = fields();
    expect(await told(free)).toBe('400 InvalidArgument');
    expect(await told({ key: 'form/old', ...oldPostFields(reader, allowing) })).toBe('403 AccessDenied');
  });
});

describe('what this service does not support', () => {
  it.each([
    ['PUT', '/new-bucket', '403 AccessDenied'],
    ['PUT', '/Not_A_Name', '400 InvalidBucketName'],
    ['PUT', '/mine', '409 BucketAlreadyOwnedByYou'],
    ['PUT', '/theirs', '409 BucketAlreadyExists'],
    ['DELETE', '/mine', '403 AccessDenied'],
    ['DELETE', '/nobodys', '404 NoSuchBucket'],
    ['GET', '/mine?versioning', '200'],
    ['GET', '/mine?acl', '200'],
    ['GET', '/mine/a.txt?acl', '200'],
    ['GET', '/mine/missing?acl', '404 NoSuchKey'],
    ['GET', '/mine?policy', '404 NoSuchBucketPolicy'],
    ['GET', '/mine?lifecycle', '404 NoSuchLifecycleConfiguration'],
    ['GET', '/mine?encryption', '404 ServerSideEncryptionConfigurationNotFoundError'],
    ['GET', '/mine?object-lock', '404 ObjectLockConfigurationNotFoundError'],
    ['GET', '/mine?tagging', '404 NoSuchTagSet'],
    ['GET', '/mine?website', '404 NoSuchWebsiteConfiguration'],
    ['GET', '/mine?replication', '501 NotImplemented'],
    ['PUT', '/mine?versioning', '501 NotImplemented'],
    ['PUT', '/mine?policy', '403 AccessDenied'],
    ['PUT', '/mine?lifecycle', '501 NotImplemented'],
    ['PUT', '/mine?acl', '400 AccessControlListNotSupported'],
    ['PUT', '/mine/a.txt?acl', '400 AccessControlListNotSupported'],
    ['DELETE', '/mine?policy', '204'],
    ['DELETE', '/mine?lifecycle', '204'],
    ['DELETE', '/mine?website', '204'],
    ['DELETE', '/mine?publicAccessBlock', '204'],
    ['DELETE', '/mine?replication', '501 NotImplemented'],
    ['GET', '/mine/a.txt?retention', '400 InvalidRequest'],
    ['PUT', '/mine/a.txt?retention', '400 InvalidRequest'],
    ['PUT', '/mine/a.txt?legal-hold', '400 InvalidRequest'],
    ['PUT', '/mine?object-lock', '409 InvalidBucketState'],
    ['PUT', '/mine?ownershipControls', '400 MalformedXML'],
    ['POST', '/mine/a.txt?select&select-type=2', '501 NotImplemented'],
    ['POST', '/mine/a.txt?restore', '501 NotImplemented'],
    ['GET', '/mine/a.txt?attributes', '400 InvalidRequest'],
    ['GET', '/mine/a.txt?torrent', '501 NotImplemented'],
    ['GET', '/mine/a.txt?versionId=3HL4kqtJlcpXroDTDmJ', '404 NoSuchVersion'],
    ['GET', '/mine/a.txt?versionId=null', '200'],
    ['DELETE', '/mine/a.txt?versionId=3HL4kqtJlcpXroDTDmJ', '404 NoSuchVersion'],
    ['GET', '/mine?cors&location', '400 InvalidArgument'],
    ['PUT', '/mine/a.txt?partNumber=1', '400 InvalidArgument'],
    ['PUT', '/mine/a.txt?uploadId=x', '405 MethodNotAllowed'],
    ['GET', '/mine/a.txt?uploads', '400 InvalidRequest'],
    ['GET', '/mine/a.txt?versions', '400 InvalidRequest'],
    ['GET', '/mine/missing?partNumber=0', '400 InvalidArgument'],
    ['HEAD', '/mine/missing?partNumber=10001', '400'],
    ['POST', '/', '405 MethodNotAllowed'],
    ['POST', '/mine/a.txt', '405 MethodNotAllowed'],
    ['PATCH', '/mine/a.txt', '405 MethodNotAllowed'],
  ])('responds to %s %s with %s', async (method, path, answer) => {
    expect(await asked(method, path)).toBe(answer);
  });

  it.each([
    ['x-amz-server-side-encryption', 'AES256', '501 NotImplemented'],
    ['x-amz-server-side-encryption', 'aes:kms', '400 InvalidArgument'],
    ['x-amz-server-side-encryption-customer-algorithm', 'AES256', '400 InvalidArgument'],
    ['x-amz-object-lock-mode', 'GOVERNANCE', '400 InvalidRequest'],
    ['x-amz-website-redirect-location', '/x', '200'],
    ['x-amz-website-redirect-location', 'ftp://example.ca', '400 InvalidRedirectLocation'],
    ['x-amz-acl', 'everything', '400 InvalidArgument'],
    ['x-amz-if-match-size', '1', '501 NotImplemented'],
    ['x-amz-tagging', 'a=1&b&&', '200'],
    ['x-amz-tagging', 'a=1&a=2', '400 InvalidArgument'],
    ['x-amz-tagging', 'a%', '400 InvalidArgument'],
    ['x-amz-tagging', '=', '400 InvalidArgument'],
    ['x-amz-tagging', 'a=!', '400 InvalidTag'],
    ['x-amz-acl', 'public-read', '400 AccessControlListNotSupported'],
    ['x-amz-acl', 'private', '200'],
    ['x-amz-grant-read', 'id=x', '400 AccessControlListNotSupported'],
    ['x-amz-storage-class', 'GLACIER', '501 NotImplemented'],
    ['x-amz-storage-class', 'MARBLE', '400 InvalidStorageClass'],
    ['x-amz-storage-class', 'STANDARD', '200'],
  ])('responds to an upload with %s: %s with %s', async (name, value, answer) => {
    expect(await asked('PUT', '/mine/headers', { headers: { [name]: value }, body: 'x' })).toBe(answer);
  });

  it.each([
    [{ 'x-amz-if-match-size': '8' }, '412 PreconditionFailed'],
    [{ 'x-amz-if-match-last-modified-time': 'Thu, 01 Jan 2015 00:00:00 GMT' }, '412 PreconditionFailed'],
    [{ 'if-match': '"other"', 'x-amz-if-match-size': '7' }, '412 PreconditionFailed'],
    [{ 'x-amz-if-match-size': 'x' }, '400 InvalidArgument'],
    [{ 'x-amz-if-match-last-modified-time': 'x' }, '400 InvalidArgument'],
    [{ 'if-none-match': '*' }, '501 NotImplemented'],
    [{ 'if-match': '*', 'x-amz-if-match-size': '7' }, '204'],
  ])('deletes under the condition %o: %s', async (headers, answer) => {
    await ask('PUT', '/mine/conditional', { body: 'content' });
    expect(await asked('DELETE', '/mine/conditional', { headers })).toBe(answer);
    expect(await asked('GET', '/mine/conditional')).toBe(answer === '204' ? '404 NoSuchKey' : '200');
  });

  it('deletes under the condition of a time, and finds what is gone no failure', async () => {
    await ask('PUT', '/mine/conditional', { body: 'content' });
    const time = (await ask('HEAD', '/mine/conditional')).headers['last-modified'] ?? '';
    const headers = { 'x-amz-if-match-last-modified-time': time };
    expect(await asked('DELETE', '/mine/conditional', { headers })).toBe('204');
    expect(await asked('DELETE', '/mine/conditional', { headers })).toBe('204');
    await ask('PUT', '/mine/conditional', { body: 'content' });
    const body = `<Delete><Object><Key>conditional</Key><Size>8</Size></Object></Delete>`;
    expect((await ask('POST', '/mine?delete', { body })).text).toContain('<Code>PreconditionFailed</Code>');
  });

  it('says what it has refused in S3’s elements', async () => {
    const partOf = async (...request: Parameters<typeof ask>) => (await ask(...request)).text;
    expect(await partOf('GET', '/mine?max-keys=x')).toContain(
      '<ArgumentName>max-keys</ArgumentName><ArgumentValue>x</ArgumentValue>',
    );
    expect(await partOf('GET', '/mine/a.txt?uploadId=x')).toContain('<UploadId>x</UploadId>');
    const refused = await ask('PATCH', '/mine/a.txt');
    expect([refused.headers.allow, refused.text]).toEqual([
      'GET, HEAD, PUT, DELETE',
      expect.stringContaining('<Method>PATCH</Method><ResourceType>OBJECT</ResourceType>'),
    ]);
    const wrong = { ...keys, secretAccessKey: 'wrong' };
    expect(await partOf('GET', '/mine/a.txt', { keys: wrong })).toContain(
      `<AWSAccessKeyId>${keys.accessKeyId}</AWSAccessKeyId><StringToSign>AWS4-HMAC-SHA256\n`,
    );
    expect(await partOf('GET', '/mine/a.txt', { headers: { 'if-match': 'x' } })).toContain(
      '<Condition>If-Match</Condition>',
    );
  });

  it.each([
    ['/mine?acl', 'private', '200'],
    ['/mine?acl', 'public-read', '400 AccessControlListNotSupported'],
    ['/mine?acl', 'everything', '400 InvalidArgument'],
    ['/mine/a.txt?acl', 'bucket-owner-full-control', '200'],
    ['/mine/a.txt?acl', 'public-read', '400 AccessControlListNotSupported'],
    ['/mine/missing?acl', 'private', '404 NoSuchKey'],
  ])('answers PUT %s with x-amz-acl: %s with %s', async (path, acl, answer) => {
    expect(await asked('PUT', path, { headers: { 'x-amz-acl': acl } })).toBe(answer);
  });

  it.each([
    [{}, '200'],
    [{ 'x-amz-object-attributes': 'ETag,Size' }, '400 InvalidArgument'],
    [{ 'if-none-match': '*' }, '304'],
    [{ 'if-match': '"other"' }, '412 PreconditionFailed'],
  ])('answers a question for attributes with %o with %s', async (more, answer) => {
    const headers = { 'x-amz-object-attributes': 'ETag,ObjectSize', ...more };
    expect(await asked('GET', '/mine/a.txt?attributes', { headers })).toBe(answer);
  });
});
