import { createHash } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { shareServer } from '#tests/support/server/share-server.ts';
import type { RunningServer } from '#tests/support/server/test-server.ts';
import { registerBucketOwner, type S3Keys } from '#tests/support/storage/s3-client.ts';
import { type S3Reply, sendS3, signAndSend, withMd5 } from '#tests/support/storage/s3-raw.ts';
import { oldPostFields, postFields } from '#tests/support/storage/s3-signing.ts';

const ORIGIN = 'https://app.example.ca';
let server: RunningServer;
let keys: S3Keys;
let reader: S3Keys;
let host: string;

beforeAll(async () => {
  server = shareServer();
  host = `127.0.0.1:${server.s3Port}`;
  const owner = await registerBucketOwner(server);
  const cors = { cors_enabled: true, cors_origins: [ORIGIN] };
  const { id } = await owner.createBucket('browsers-mine', cors);
  await owner.createBucket('browsers-mine-too');
  const other = await registerBucketOwner(server);
  await other.createBucket('browsers-theirs');
  keys = await owner.createKeys([id]);
  reader = await owner.createKeys([id], ['read']);
  await owner
    .client(keys)
    .send(new PutObjectCommand({ Bucket: 'browsers-mine', Key: 'a.txt', Body: 'content' }));
});

const ask = (method: string, path: string, more: Partial<Parameters<typeof signAndSend>[1]> = {}) =>
  signAndSend(server.s3Port, { method, path, keys, ...more });
const told = ({ status, code }: S3Reply) => (code === null ? `${status}` : `${status} ${code}`);
const asked = async (method: string, path: string, more: Partial<Parameters<typeof signAndSend>[1]> = {}) =>
  told(await ask(method, path, more));

describe('another origin', () => {
  const preflight = (headers: object, path = '/browsers-mine/a.txt') =>
    sendS3(server.s3Port, { method: 'OPTIONS', path, headers: { host, ...headers } });

  it('is told what it may do', async () => {
    const asking = { origin: ORIGIN, 'access-control-request-method': 'PUT' };
    const response = await preflight({
      ...asking,
      'access-control-request-headers': 'Content-Type, x-amz-a',
    });
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-headers': 'content-type, x-amz-a',
      'access-control-allow-methods': expect.stringContaining('PUT'),
      vary: expect.stringContaining('Origin'),
    });
    const refused = await preflight({ ...asking, origin: 'https://evil.example' });
    expect(told(refused)).toBe('403 AccessForbidden');
    expect(refused.text).toContain('<Method>PUT</Method><ResourceType>OBJECT</ResourceType>');
    const without = await preflight(asking, '/browsers-mine-too/a.txt');
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
    const before = await ask('GET', '/browsers-mine?cors');
    expect(await asked('PUT', '/browsers-mine?cors', withMd5(body))).toBe('200');
    const put = await ask('PUT', '/browsers-mine/from-console', { headers: { origin }, body: 'x' });
    expect(put.headers['access-control-allow-origin']).toBe(origin);
    expect(put.headers['access-control-expose-headers']).toContain('ETag');
    expect(await asked('PUT', '/browsers-mine?cors', withMd5(before.text))).toBe('200');
    const asking = { origin, 'access-control-request-method': 'DELETE' };
    expect(told(await preflight(asking, '/browsers-mine-too/a.txt'))).toBe('200');
  });

  it('can read responses, and no other can', async () => {
    const allowed = async (origin: string) =>
      (await ask('GET', '/browsers-mine/a.txt', { headers: { origin } })).headers[
        'access-control-allow-origin'
      ];
    expect(await allowed(ORIGIN)).toBe(ORIGIN);
    expect(await allowed('https://evil.example')).toBeUndefined();
    // Scripts outside browsers ask as in a preflight.
    const asking = (more: object) =>
      ask('GET', '/browsers-mine/a.txt', { headers: { origin: ORIGIN, ...more } }).then(
        ({ headers }) => headers['access-control-allow-origin'],
      );
    expect(await asking({ 'access-control-request-method': 'PUT' })).toBe(ORIGIN);
    expect(await asking({ 'access-control-request-method': 'PATCH' })).toBeUndefined();
    const missing = await ask('GET', '/browsers-mine/missing', { headers: { origin: ORIGIN } });
    expect([missing.status, missing.headers['access-control-allow-origin']]).toEqual([404, ORIGIN]);
  });

  it('is allowed by rules that headers can express, and by no others', async () => {
    const rule = (inner: string) =>
      `<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod>${inner}</CORSRule></CORSConfiguration>`;
    const put = (inner: string) => asked('PUT', '/browsers-mine/?cors', withMd5(rule(inner)));
    expect(await put('<AllowedOrigin>*</AllowedOrigin><ExposeHeader>a\nb: c</ExposeHeader>')).toBe(
      '400 InvalidRequest',
    );
    expect(await put('<AllowedOrigin>https://*.*.ca</AllowedOrigin>')).toBe('400 InvalidRequest');
    expect(await put('<AllowedOrigin>*</AllowedOrigin><ExposeHeader>x-*</ExposeHeader>')).toBe(
      '400 InvalidRequest',
    );
    expect(await put('')).toBe('400 MalformedXML');
    const age = (seconds: string) =>
      `<AllowedOrigin>*</AllowedOrigin><MaxAgeSeconds>${seconds}</MaxAgeSeconds>`;
    expect(await put(age('1.5'))).toBe('400 MalformedXML');
    const before = (await ask('GET', '/browsers-mine?cors')).text;
    expect(await put(age('-100'))).toBe('200');
    expect((await ask('GET', '/browsers-mine?cors')).text).toContain('<MaxAgeSeconds>-100</MaxAgeSeconds>');
    expect(await asked('PUT', '/browsers-mine?cors', withMd5(before))).toBe('200');
  });
});

describe('a form', () => {
  const post = async (
    fields: Record<string, string>,
    { file = 'from a form', name = 'photo.png', bucket = 'browsers-mine' } = {},
  ) => {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set('file', new Blob([file]), name);
    const response = await fetch(`http://${host}/${bucket}`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
    });
    const text = await response.text();
    const code = /<Code>(\w+)</.exec(text)?.[1] ?? null;
    return { status: response.status, code, text, headers: Object.fromEntries(response.headers) };
  };
  const allowing = (...conditions: unknown[]) => [
    { bucket: 'browsers-mine' },
    ['starts-with', '$key', 'form/'],
    ...conditions,
  ];
  const posted = async (...given: Parameters<typeof post>) => told(await post(...given));

  it('stores what its policy allows, and responds as requested', async () => {
    expect(await posted({ key: 'form/1', ...postFields(keys, allowing()) })).toBe('204');
    expect((await ask('GET', '/browsers-mine/form/1')).text).toBe('from a form');
    const asking = (field: string, value: string) =>
      post({ key: 'form/2', [field]: value, ...postFields(keys, allowing({ [field]: value })) });
    expect((await asking('success_action_status', '200')).status).toBe(200);
    const created = await asking('success_action_status', '201');
    expect([created.status, created.text]).toEqual([201, expect.stringContaining('<Key>form/2</Key>')]);
    const moved = await asking('success_action_redirect', 'https://app.example.ca/done?a=b');
    expect(moved.status).toBe(303);
    expect(moved.headers.location).toMatch(
      /^https:\/\/app\.example\.ca\/done\?a=b&bucket=browsers-mine&key=form%2F2&etag=/,
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

  it('is given AWS’s default checksum where its file brought none', async () => {
    const small = await post({ key: 'form/small', ...postFields(keys, allowing()) });
    expect(small.headers['x-amz-checksum-crc64nvme']).toBe('uOa4SFKiUQM=');
  });

  it('may leave the file’s name to the browser, within its policy', async () => {
    expect(await posted({ key: `form/$${'{filename}'}`, ...postFields(keys, allowing()) })).toBe('204');
    expect(await asked('GET', '/browsers-mine/form/photo.png')).toBe('200');
    const named = [{ bucket: 'browsers-mine' }, ['starts-with', '$key', 'photo']];
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
    expect(await posted(fields(), { bucket: 'browsers-theirs' })).toBe('403 AccessDenied');
    expect(await posted({ ...fields(), 'x-amz-signature': '0'.repeat(64) })).toBe(
      '403 SignatureDoesNotMatch',
    );
    expect(await posted({ key: 'form/x' })).toBe('403 AccessDenied');
    expect(await posted({ key: 'form/x', policy: 'e30=' })).toBe('403 AccessDenied');
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
    const unsigned = await post({ ...right, 'x-amz-signature': '0'.repeat(64) });
    expect(unsigned.text).toContain(`<StringToSign>${right.policy}</StringToSign>`);
    const nameless = '--b\r\ncontent-disposition: form-data; name=""; filename="x"\r\n\r\nx\r\n--b--\r\n';
    for (const [type, body] of [
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=b', nameless],
    ]) {
      const headers = { host, 'content-type': type };
      expect(
        told(await sendS3(server.s3Port, { method: 'POST', path: '/browsers-mine', headers, body })),
      ).toBe('400 MalformedPOSTRequest');
    }
    expect(await posted({ ...fields({ acl: 'public-read' }), acl: 'public-read' })).toBe(
      '400 AccessControlListNotSupported',
    );
    expect(await asked('GET', '/browsers-mine/form/x')).toBe('404 NoSuchKey');
    const reading = postFields(reader, allowing());
    expect(await posted({ key: 'form/x', ...reading })).toBe('403 AccessDenied');
  });
});

describe('a form signed in the older way', () => {
  const form = (fields: Record<string, string>) => {
    const body = new FormData();
    for (const [field, value] of Object.entries(fields)) body.set(field, value);
    body.set('file', new Blob(['old form']), 'old.txt');
    return fetch(`http://${host}/browsers-mine`, { method: 'POST', body });
  };
  const told = async (fields: Record<string, string>) => {
    const response = await form(fields);
    const code = /<Code>(\w+)</.exec(await response.text())?.[1];
    return code === undefined ? `${response.status}` : `${response.status} ${code}`;
  };
  const allowing = [{ bucket: 'browsers-mine' }, ['starts-with', '$key', 'form/']];
  const fields = (): Record<string, string> => ({ key: 'form/old', ...oldPostFields(keys, allowing) });

  it('stores what its policy allows', async () => {
    expect(await told(fields())).toBe('204');
    expect((await ask('GET', '/browsers-mine/form/old')).text).toBe('old form');
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
