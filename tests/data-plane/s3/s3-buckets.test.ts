import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteBucketTaggingCommand,
  DeleteObjectCommand,
  GetBucketTaggingCommand,
  ListBucketsCommand,
  PutBucketTaggingCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { type BucketOwner, registerBucketOwner, type S3Keys } from '#tests/support/storage/s3-client.ts';
import { type S3Reply, signAndSend, withMd5 } from '#tests/support/storage/s3-raw.ts';

let server: TestServer;
let owner: BucketOwner;
let maker: S3Keys & { id: string };
let plain: S3Keys;
let client: S3Client;

beforeAll(async () => {
  server = await startTestServer({ BILLING_MODE: 'off', LIMIT_BUCKETS: '8' });
  owner = await registerBucketOwner(server);
  maker = await owner.createKeys([], ['read', 'write'], { may_create_buckets: true });
  plain = await owner.createKeys([(await owner.createBucket('given')).id]);
  client = owner.client(maker);
});
afterAll(() => server.close());

const ask = (method: string, path: string, more: Partial<Parameters<typeof signAndSend>[1]> = {}) =>
  signAndSend(server.s3Port, { method, path, keys: maker, ...more });
const told = ({ status, code }: S3Reply) => (code === null ? `${status}` : `${status} ${code}`);
const asked = async (...request: Parameters<typeof ask>) => told(await ask(...request));
const located = (place: string) => ({
  body: `<CreateBucketConfiguration><LocationConstraint>${place}</LocationConstraint></CreateBucketConfiguration>`,
});

describe('a credential that may create buckets', () => {
  it('reaches what it has created at once, alone, and the console lists it', async () => {
    const { Location, BucketArn } = await client.send(new CreateBucketCommand({ Bucket: 'made' }));
    expect([Location, BucketArn]).toEqual(['/made', 'arn:aws:s3:::made']);
    await client.send(new PutObjectCommand({ Bucket: 'made', Key: 'a', Body: 'a' }));
    const { Buckets } = await client.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual(['made']);
    expect(await asked('GET', '/made', { keys: plain })).toBe('403 AccessDenied');
    const { text } = await owner.deployer.person('GET', '/api/v1/storage/buckets');
    expect(text).toContain('"name":"made"');
    const audit = await owner.deployer.person('GET', '/api/v1/audit/events?action=bucket.create');
    expect(audit.text).toContain('"kind":"credential"');
  });

  it('lists its buckets a page at a time, by tokens that are no names', async () => {
    const owned = await owner.createKeys([], ['read', 'write'], { may_create_buckets: true });
    const lister = owner.client(owned);
    for (const Bucket of ['paged-1', 'paged-2']) await lister.send(new CreateBucketCommand({ Bucket }));
    const first = await lister.send(new ListBucketsCommand({ MaxBuckets: 1 }));
    const { ContinuationToken } = first;
    expect(ContinuationToken).not.toBe('paged-1');
    const second = await lister.send(new ListBucketsCommand({ MaxBuckets: 1, ContinuationToken }));
    const pages = [first, second].map(({ Buckets }) => Buckets?.map(({ Name }) => Name));
    expect(pages).toEqual([['paged-1'], ['paged-2']]);
    expect(second.ContinuationToken).toBeUndefined();
  });

  it('is told of a bucket that is there, and of names, places and access lists that cannot be', async () => {
    await client.send(new CreateBucketCommand({ Bucket: 'told' }));
    const other = await registerBucketOwner(server);
    await other.createBucket('theirs');
    expect(await asked('PUT', '/told')).toBe('409 BucketAlreadyOwnedByYou');
    const eastern = owner.client(maker, { region: 'us-east-1' });
    expect(await eastern.send(new CreateBucketCommand({ Bucket: 'told' }))).toMatchObject({
      Location: '/told',
    });
    expect(await asked('PUT', '/theirs')).toBe('409 BucketAlreadyExists');
    expect(await asked('PUT', '/given')).toBe('409 BucketAlreadyExists');
    expect(await asked('PUT', '/a..b')).toBe('400 InvalidBucketName');
    expect(await asked('PUT', '/10.0.0.1')).toBe('400 InvalidBucketName');
    for (const place of ['eu-west-1', 'us-east-1']) {
      expect(await asked('PUT', '/elsewhere', located(place))).toBe('400 InvalidLocationConstraint');
    }
    expect(await asked('PUT', '/elsewhere', { body: '<CreateBucketConfiguration>' })).toBe(
      '400 MalformedXML',
    );
    const withHeader = (name: string, value: string) =>
      asked('PUT', '/elsewhere', { headers: { [name]: value } });
    expect(await withHeader('x-amz-acl', 'public-read')).toBe('400 InvalidBucketAclWithObjectOwnership');
    expect(await withHeader('x-amz-acl', 'everything')).toBe('400 InvalidArgument');
    expect(await withHeader('x-amz-object-ownership', 'mine')).toBe('400 InvalidArgument');
    expect(await withHeader('x-amz-grant-read', 'id=x')).toBe('400 InvalidBucketAclWithObjectOwnership');
    expect(await withHeader('x-amz-bucket-object-lock-enabled', 'true')).toBe('501 NotImplemented');
    expect(await withHeader('x-amz-object-ownership', 'ObjectWriter')).toBe('501 NotImplemented');
    expect(await asked('HEAD', '/elsewhere')).toBe('404');
    const privately = { 'x-amz-acl': 'private', 'x-amz-object-ownership': 'BucketOwnerEnforced' };
    expect(await asked('PUT', '/elsewhere', { headers: privately, ...located('qc-south-1') })).toBe('200');
  });

  it('deletes a bucket once it holds no object, and may use the name again at once', async () => {
    const Bucket = 'emptied';
    await client.send(new CreateBucketCommand({ Bucket }));
    await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'a' }));
    expect(await asked('DELETE', '/emptied')).toBe('409 BucketNotEmpty');
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'a' }));
    // An upload that nobody completes is no object.
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts' }));
    const part = { Bucket, Key: 'parts', UploadId, PartNumber: 1, Body: 'part' };
    await client.send(new UploadPartCommand(part));
    await client.send(new DeleteBucketCommand({ Bucket }));
    expect(await asked('GET', '/emptied')).toBe('404 NoSuchBucket');
    expect(await asked('DELETE', '/emptied')).toBe('404 NoSuchBucket');
    await client.send(new CreateBucketCommand({ Bucket }));
    expect(await asked('GET', '/emptied?uploads')).toBe('200');
    expect(await asked('HEAD', '/emptied/a')).toBe('404');
  });

  it('gives it tags at once', async () => {
    const Bucket = 'made-with-tags';
    const created = (Tags: { Key: string; Value: string }[]) =>
      client.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { Tags } }));
    await expect(created([{ Key: 'team!', Value: 'web' }])).rejects.toMatchObject({ name: 'InvalidTag' });
    await created([{ Key: 'team', Value: 'web' }]);
    expect((await client.send(new GetBucketTaggingCommand({ Bucket }))).TagSet).toEqual([
      { Key: 'team', Value: 'web' },
    ]);
    await client.send(new DeleteBucketCommand({ Bucket }));
  });

  it('creates no more than its organization may have, and none once that is taken back', async () => {
    const path = `/api/v1/credentials/${maker.id}/scopes`;
    let response = '';
    for (let count = 0; count < 8 && response !== '400 TooManyBuckets'; count += 1) {
      response = await asked('PUT', `/many-${count}`);
    }
    expect(response).toBe('400 TooManyBuckets');
    const given = await owner.createKeys([], ['read', 'write'], { may_create_buckets: true });
    const scopes: object[] = [];
    const { person } = owner.deployer;
    const changed = await person('PUT', path.replace(maker.id, given.id), {
      json: { scopes, may_create_buckets: false },
    });
    expect(objectOf(changed).may_create_buckets).toBe(false);
    expect(await asked('PUT', '/one-more', { keys: given })).toBe('403 AccessDenied');
    // Without a word of it, it stays as it was.
    expect(objectOf(await person('PUT', path, { json: { scopes } })).may_create_buckets).toBe(true);
  });
});

it('a credential without the right creates and deletes none', async () => {
  expect(await asked('PUT', '/fresh', { keys: plain })).toBe('403 AccessDenied');
  expect(await asked('DELETE', '/given', { keys: plain })).toBe('403 AccessDenied');
});

describe('tags of a bucket', () => {
  it('are set, read and taken away', async () => {
    const Bucket = 'given';
    const own = owner.client(plain);
    const TagSet = [
      { Key: 'team', Value: 'web' },
      { Key: 'équipe', Value: '' },
    ];
    await own.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }));
    expect((await own.send(new GetBucketTaggingCommand({ Bucket }))).TagSet).toEqual(TagSet);
    await own.send(new DeleteBucketTaggingCommand({ Bucket }));
    expect(await asked('GET', '/given?tagging', { keys: plain })).toBe('404 NoSuchTagSet');
  });

  it('are at most fifty', async () => {
    const body = (count: number) => {
      const tags = Array.from({ length: count }, (_, at) => `<Tag><Key>k${at}</Key><Value>v</Value></Tag>`);
      return { keys: plain, ...withMd5(`<Tagging><TagSet>${tags.join('')}</TagSet></Tagging>`) };
    };
    expect(await asked('PUT', '/given?tagging', body(51))).toBe('400 BadRequest');
    expect(await asked('PUT', '/given?tagging', body(50))).toBe('204');
  });
});
