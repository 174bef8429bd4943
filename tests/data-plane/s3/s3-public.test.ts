import { once } from 'node:events';
import { connect } from 'node:net';
import { PutBucketCorsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { suspendOrganization } from '#tests/support/server/server-database.ts';
import { shareServer } from '#tests/support/server/share-server.ts';
import type { RunningServer } from '#tests/support/server/test-server.ts';
import { type BucketOwner, registerBucketOwner, type S3Keys } from '#tests/support/storage/s3-client.ts';
import { headText, type S3Reply, sendS3, signAndSend } from '#tests/support/storage/s3-raw.ts';

let server: RunningServer;
let owner: BucketOwner;
let host: string;
let bucketId: string;
/** May say who reads its bucket. */
let maker: S3Keys;
let writer: S3Keys;
let stranger: S3Keys;

beforeAll(async () => {
  server = shareServer();
  host = `127.0.0.1:${server.s3Port}`;
  owner = await registerBucketOwner(server);
  bucketId = (await owner.createBucket('open')).id;
  maker = await owner.createKeys([bucketId], ['read', 'write'], { may_create_buckets: true });
  writer = await owner.createKeys([bucketId]);
  const other = await registerBucketOwner(server);
  stranger = await other.createKeys([(await other.createBucket('closed')).id]);
  const client = owner.client(writer);
  await client.send(
    new PutObjectCommand({ Bucket: 'open', Key: 'a b.txt', Body: 'content', ContentType: 'text/plain' }),
  );
  client.destroy();
});

const told = ({ status, code }: S3Reply) => (code === null ? `${status}` : `${status} ${code}`);
const anyone = (method: string, path: string, headers: object = {}, body?: string) =>
  sendS3(server.s3Port, { method, path, headers: { host, ...headers }, body });
const asAnyone = async (...request: Parameters<typeof anyone>) => told(await anyone(...request));
const ask = (method: string, path: string, keys: S3Keys, body?: string) =>
  signAndSend(server.s3Port, { method, path, keys, body });
const asked = async (...request: Parameters<typeof ask>) => told(await ask(...request));
const organizationOf = async (keys: S3Keys) =>
  /<ID>([^<]+)</.exec((await ask('GET', '/', keys)).text)?.[1] ?? '';
const setPublic = (public_read: boolean) =>
  owner.deployer.person('PATCH', `/api/v1/storage/buckets/${bucketId}`, { json: { public_read } });
const usage = async () =>
  objectOf(await owner.deployer.person('GET', '/api/v1/usage/storage?period=day')).summary as Record<
    'total_requests' | 'total_bytes_received' | 'total_bytes_sent',
    number
  >;
const policy = (change: object = {}) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::open/*', ...change },
    ],
  });

describe('a bucket', () => {
  it('is public only once its owner says so, and until then', async () => {
    expect(await asAnyone('GET', '/open/a%20b.txt')).toBe('403 AccessDenied');
    expect(objectOf(await setPublic(true))).toMatchObject({ public_read: true, cors_enabled: false });
    const read = await anyone('GET', '/open/a%20b.txt');
    expect([read.status, read.text, read.headers['content-type']]).toEqual([200, 'content', 'text/plain']);
    const inHost = { host: `open.s3.localhost:${server.s3Port}` };
    expect(await asAnyone('GET', '/a%20b.txt', inHost)).toBe('200');
    expect(await asAnyone('HEAD', '/open/a%20b.txt')).toBe('200');
    const part = await anyone('GET', '/open/a%20b.txt', { range: 'bytes=0-3' });
    expect([part.status, part.text]).toEqual([206, 'cont']);
    const since = {
      [`${read.headers.etag}`]: 206,
      [`${read.headers['last-modified']}`]: 206,
      '"older"': 200,
    };
    for (const [version, status] of Object.entries(since)) {
      const rest = await anyone('GET', '/open/a%20b.txt', { range: 'bytes=4-', 'if-range': version });
      expect([rest.status, rest.text], version).toEqual([status, status === 206 ? 'ent' : 'content']);
    }
    expect(await asAnyone('GET', '/open/a%20b.txt', { 'if-none-match': read.headers.etag ?? '' })).toBe(
      '304',
    );
    expect(await asked('GET', '/open/a%20b.txt', stranger)).toBe('200');
    await setPublic(false);
    expect(await asAnyone('GET', '/open/a%20b.txt')).toBe('403 AccessDenied');
    expect(await asked('GET', '/open/a%20b.txt', stranger)).toBe('403 AccessDenied');
    const { text } = await owner.deployer.person('GET', '/api/v1/audit/events?resource_type=bucket');
    expect(text).toMatch(/bucket\.unpublish.*bucket\.publish/s);
  });

  it('is made public by those alone who may create buckets', async () => {
    expect(await asked('PUT', '/open?policy', writer, policy())).toBe('403 AccessDenied');
    expect(await asked('PUT', '/open?policy', maker, policy())).toBe('204');
    expect(await asked('DELETE', '/open?policy', writer)).toBe('403 AccessDenied');
    expect(await asAnyone('GET', '/open/a%20b.txt')).toBe('200');
    expect(await asked('DELETE', '/open?policy', maker)).toBe('204');
    expect(await asAnyone('GET', '/open/a%20b.txt')).toBe('403 AccessDenied');
    const basic = Buffer.from(`${writer.accessKeyId}:${writer.secretAccessKey}`).toString('base64');
    const path = `${server.consoleUrl}/api/v1/storage/buckets/${bucketId}`;
    const body = JSON.stringify({ public_read: true });
    const headers = { 'content-type': 'application/json', authorization: `Basic ${basic}` };
    const refused = await fetch(path, { method: 'PATCH', headers, body });
    expect(refused.status).toBe(403);
  });
});

describe('a policy', () => {
  it('tells S3 clients whether the bucket is public', async () => {
    expect(await asked('GET', '/open?policy', maker)).toBe('404 NoSuchBucketPolicy');
    expect((await ask('GET', '/open?policyStatus', maker)).text).toContain('<IsPublic>false</IsPublic>');
    await setPublic(true);
    const { text } = await ask('GET', '/open?policy', maker);
    expect(await asked('PUT', '/open?policy', maker, text)).toBe('204');
    expect((await ask('GET', '/open?policyStatus', writer)).text).toContain('<IsPublic>true</IsPublic>');
    expect(await asked('GET', '/open?publicAccessBlock', maker)).toBe(
      '404 NoSuchPublicAccessBlockConfiguration',
    );
  });

  it.each([
    ['nothing', '', '400 MalformedPolicy'],
    ['no JSON', '{', '400 MalformedPolicy'],
    ['no statement', '{"Version":"2012-10-17"}', '400 MalformedPolicy'],
    ['another version', policy().replace('2012-10-17', '2013-01-01'), '400 MalformedPolicy'],
    ['one principal', policy({ Principal: { AWS: 'arn:aws:iam::1:root' } }), '501 NotImplemented'],
    ['no principal that there can be', policy({ Principal: 'someone' }), '400 MalformedPolicy'],
    ['everyone, written out', policy({ Principal: { AWS: ['*'] } }), '204'],
    ['a condition', policy({ Condition: { Bool: { 'aws:SecureTransport': 'true' } } }), '501 NotImplemented'],
    ['everyone but one', policy({ Principal: undefined, NotPrincipal: { AWS: 'x' } }), '400 MalformedPolicy'],
    ['writing', policy({ Action: ['s3:GetObject', 's3:PutObject'] }), '501 NotImplemented'],
    ['some objects', policy({ Resource: 'arn:aws:s3:::open/a*' }), '501 NotImplemented'],
    ['another bucket', policy({ Resource: 'arn:aws:s3:::closed/*' }), '400 MalformedPolicy'],
    ['a refusal', policy({ Effect: 'Deny' }), '501 NotImplemented'],
    ['too much', policy({ Sid: 'x'.repeat(21_000) }), '400 MaxMessageLengthExceeded'],
  ])('of %s is answered with what it means here', async (_, text, response) => {
    expect(await asked('PUT', '/open?policy', maker, text)).toBe(response);
  });
});

describe('public access', () => {
  const blocked = (...names: string[]) =>
    `<PublicAccessBlockConfiguration>${names.map((name) => `<${name}>true</${name}>`).join('')}</PublicAccessBlockConfiguration>`;
  const switches = async () =>
    [...(await ask('GET', '/open?publicAccessBlock', writer)).text.matchAll(/<(\w+)>(true|false)</g)].map(
      ([, name, value]) => `${name} ${value}`,
    );

  it('is blocked by those who may say who reads the bucket, as far as they say', async () => {
    await setPublic(true);
    expect(await asked('GET', '/open?publicAccessBlock', writer)).toBe(
      '404 NoSuchPublicAccessBlockConfiguration',
    );
    expect(await asked('DELETE', '/open?publicAccessBlock', writer)).toBe('204');
    expect(await asked('PUT', '/open?publicAccessBlock', writer, blocked('BlockPublicPolicy'))).toBe(
      '403 AccessDenied',
    );
    expect(await asked('PUT', '/open?publicAccessBlock', maker, blocked('RestrictPublicBuckets'))).toBe(
      '200',
    );
    expect(await switches()).toEqual([
      'BlockPublicAcls false',
      'IgnorePublicAcls false',
      'BlockPublicPolicy false',
      'RestrictPublicBuckets true',
    ]);
    expect(await asAnyone('GET', '/open/a%20b.txt')).toBe('403 AccessDenied');
    expect(await asked('GET', '/open/a%20b.txt', stranger)).toBe('403 AccessDenied');
    expect(await asked('GET', '/open/a%20b.txt', writer)).toBe('200');
    expect(await asked('PUT', '/open?policy', maker, policy())).toBe('204');
    expect(await asked('GET', '/open?policy', maker)).toBe('200');
    expect((await setPublic(true)).text).toContain('public_access_blocked');
    expect(await asked('DELETE', '/open?publicAccessBlock', writer)).toBe('403 AccessDenied');
    expect(await asked('DELETE', '/open?publicAccessBlock', maker)).toBe('204');
    expect(await asAnyone('GET', '/open/a%20b.txt')).toBe('200');
  });

  it('is given by no policy, nor asked for by access lists, once that is blocked', async () => {
    await setPublic(false);
    const both = blocked('BlockPublicPolicy', 'BlockPublicAcls');
    expect(await asked('PUT', '/open?publicAccessBlock', maker, both)).toBe('200');
    expect(await asked('PUT', '/open?policy', maker, policy())).toBe('403 AccessDenied');
    expect((await setPublic(true)).text).toContain('public_access_blocked');
    const asAcl = async (path: string, acl: string) =>
      told(
        await signAndSend(server.s3Port, {
          ...{ method: 'PUT', path, keys: maker, body: '', headers: { 'x-amz-acl': acl } },
        }),
      );
    for (const path of ['/open?acl', '/open/new', '/open/a%20b.txt?acl']) {
      expect(await asAcl(path, 'public-read')).toBe('403 AccessDenied');
      expect(await asAcl(path, 'private')).toBe('200');
    }
    await ask('DELETE', '/open?publicAccessBlock', maker);
    expect(await asAcl('/open/new', 'public-read')).toBe('400 AccessControlListNotSupported');
  });

  it.each([
    ['nothing', '', '400 MissingRequestBodyError'],
    ['no switch', blocked(), '400 InvalidRequest'],
    ['another document', '<BlockPublicAcls>true</BlockPublicAcls>', '400 MalformedXML'],
    ['a switch that is neither', blocked('BlockPublicAcls').replace('true', 'maybe'), '400 MalformedXML'],
    ['one switch twice', blocked('BlockPublicAcls', 'BlockPublicAcls'), '400 MalformedXML'],
    ['an entity', `<!DOCTYPE a [<!ENTITY b "true">]>${blocked('BlockPublicAcls')}`, '400 MalformedXML'],
    ['too much', blocked('BlockPublicAcls') + ' '.repeat(70_000), '400 MaxMessageLengthExceeded'],
  ])('is not blocked by %s', async (_, text, response) => {
    expect(await asked('PUT', '/open?publicAccessBlock', maker, text)).toBe(response);
    expect(await switches()).toEqual([]);
  });
});

describe('whoever has no key', () => {
  it('reads objects of a public bucket and does nothing else', async () => {
    await setPublic(true);
    for (const [method, path, response] of [
      ['GET', '/', '403 AccessDenied'],
      ['GET', '/open', '403 AccessDenied'],
      ['GET', '/open?list-type=2', '403 AccessDenied'],
      ['HEAD', '/open', '403'],
      ['GET', '/open/a%20b.txt?acl', '403 AccessDenied'],
      ['GET', '/open/a%20b.txt?tagging', '403 AccessDenied'],
      ['GET', '/open/a%20b.txt?attributes', '403 AccessDenied'],
      ['PUT', '/open/new', '403 AccessDenied'],
      ['DELETE', '/open/a%20b.txt', '403 AccessDenied'],
      ['POST', '/open/new?uploads', '403 AccessDenied'],
      ['GET', '/open/a%20b.txt?response-content-type=text%2Fhtml', '400 InvalidRequest'],
      // As in S3, where who may not list learns of no name that is free.
      ['GET', '/open/missing', '403 AccessDenied'],
      ['GET', '/closed/x', '403 AccessDenied'],
      ['GET', '/nobodys/x', '404 NoSuchBucket'],
      ['GET', '/nobodys', '404 NoSuchBucket'],
      ['HEAD', '/nobodys', '404'],
      ['DELETE', '/nobodys/x', '404 NoSuchBucket'],
      ['PUT', '/nobodys', '403 AccessDenied'],
    ] as const) {
      expect([method, path, await asAnyone(method, path)]).toEqual([method, path, response]);
    }
    const asPage = '/open/a%20b.txt?response-content-type=text%2Fhtml';
    expect(await asked('GET', asPage, stranger), 'by whoever has a key of anything').toBe(
      '400 InvalidRequest',
    );
    expect(await (await fetch(`http://${host}${asPage}`)).text()).toContain(
      'cannot be used for anonymous GET requests.',
    );
    expect((await ask('GET', asPage, writer)).headers['content-type']).toBe('text/html');
    const form = new FormData();
    form.set('key', 'form');
    form.set('file', new Blob(['x']), 'x.txt');
    expect((await fetch(`http://${host}/open`, { method: 'POST', body: form })).status).toBe(403);
  });

  it.each(['a b.txt', 'été/à #1?.txt', 'a/../b', './a', '..', 'a+b&c=d'])(
    'reads %s in a browser at the address that its owner is told',
    async (key) => {
      const path = `/open/${key.split('/').map(encodeURIComponent).join('/')}`;
      expect(await asked('PUT', path, writer, 'content')).toBe('200');
      const input = JSON.stringify({
        json: { organization_id: await organizationOf(writer), bucket_id: bucketId, key },
      });
      const described = async () => {
        const question = `/api/trpc/storage.getObject?input=${encodeURIComponent(input)}`;
        const { result } = objectOf(await owner.deployer.person('GET', question));
        return (result as { data: { json: { public_url: string | null } } }).data.json.public_url;
      };
      await setPublic(false);
      expect(await described()).toBeNull();
      await setPublic(true);
      // Browsers shorten paths in this way.
      const { pathname, search } = new URL(String(await described()));
      const read = await anyone('GET', pathname + search);
      expect([read.status, read.text]).toEqual([200, 'content']);
      expect(await asAnyone('GET', `${pathname}${search}`.replace('open', 'closed'))).toBe(
        '403 AccessDenied',
      );
    },
  );

  it('is counted as usage of the owner', async () => {
    const before = await usage();
    for (let times = 0; times < 3; times += 1) await anyone('GET', '/open/a%20b.txt');
    await expect
      .poll(async () => (await usage()).total_bytes_sent - before.total_bytes_sent, { timeout: 10_000 })
      .toBeGreaterThanOrEqual(21);
  });

  it('is counted with what it sent and took, whatever its head says, and however much it asks for', async () => {
    const client = owner.client(writer);
    const large = 16 * 1024 ** 2;
    await client.send(new PutObjectCommand({ Bucket: 'open', Key: 'large', Body: Buffer.alloc(large) }));
    client.destroy();
    await expect
      .poll(async () => (await usage()).total_bytes_received, { timeout: 10_000 })
      .toBeGreaterThan(large);
    const before = await usage();
    const head = { host, 'x-amz-decoded-content-length': String(Number.MAX_SAFE_INTEGER) };
    for (let times = 0; times < 3; times += 1) await anyone('GET', '/open/a%20b.txt', head);
    for (const key of ['large', 'a%20b.txt']) {
      const socket = connect(server.s3Port, '127.0.0.1');
      socket.write(
        headText('GET', '/open/large', { host }) + headText('GET', `/open/${key}`, { host }).repeat(20),
      );
      await once(socket, 'data');
      socket.destroy();
    }
    // A request that has not begun when its client disconnects is not one.
    const counted = async () => (await usage()).total_requests - before.total_requests;
    await expect.poll(counted, { timeout: 10_000 }).toBeGreaterThanOrEqual(3 + 2);
    expect(await counted()).toBeLessThanOrEqual(3 + 2 * 21);
    const after = await usage();
    expect(after.total_bytes_received).toBe(before.total_bytes_received);
    expect(after.total_bytes_sent - before.total_bytes_sent).toBeLessThan(2 * large);
  });

  it('may be a page of another website, as far as the bucket’s CORS rules go', async () => {
    const client = owner.client(writer);
    const CORSRules = [{ AllowedOrigins: ['https://example.ca'], AllowedMethods: ['GET'] }];
    await client.send(new PutBucketCorsCommand({ Bucket: 'open', CORSConfiguration: { CORSRules } }));
    client.destroy();
    const from = async (origin: string) =>
      (await anyone('GET', '/open/a%20b.txt', { origin })).headers['access-control-allow-origin'];
    expect(await from('https://example.ca')).toBe('https://example.ca');
    expect(await from('https://other.example')).toBeUndefined();
  });

  it('reads nothing of an organization that is suspended', async () => {
    const organizationId = await organizationOf(writer);
    await suspendOrganization(server, organizationId, 'unpaid');
    expect(await asAnyone('GET', '/open/a%20b.txt')).toBe('403 AllAccessDisabled');
    await suspendOrganization(server, organizationId, null);
    expect(await asAnyone('GET', '/open/a%20b.txt')).toBe('200');
  });
});
