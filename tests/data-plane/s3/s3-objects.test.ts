import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { startBucketSuite } from '#tests/support/storage/bucket-suite.ts';

const Bucket = 'objects-bucket';
const s3 = startBucketSuite(Bucket);
const { put, get, bytesOf } = s3;
const textOf = async (Key: string, more: object = {}) => (await bytesOf(await get(Key, more))).toString();

describe('an object', () => {
  it.each([
    ['plain.txt'],
    ['with blank + plus.txt'],
    ['é/ü/日本語/😀.txt'],
    ["a!b'c(d)e*f&g=h?i#j%25k"],
    ['//two//slashes//'],
    ['../up/./here'],
    ['x'.repeat(1_024)],
  ])('named %j is returned unchanged', async (key) => {
    await put(key, `content of ${key}`, { ContentType: 'text/plain; charset=utf-8' });
    expect(await textOf(key)).toBe(`content of ${key}`);
    const listed = await s3.client.send(new ListObjectsV2Command({ Bucket, Prefix: key, MaxKeys: 1 }));
    expect(listed.Contents?.[0]?.Key).toBe(key);
  });

  it('has the headers of its upload', async () => {
    await put('told', 'x', {
      ContentType: 'image/png',
      CacheControl: 'max-age=60',
      ContentDisposition: "attachment; filename*=UTF-8''%C3%A9.png",
      ContentEncoding: 'gzip',
      Metadata: { who: 'Zoé', empty: '' },
      Tagging: 'a=b&c=d%20e',
    });
    const head = await s3.client.send(new HeadObjectCommand({ Bucket, Key: 'told' }));
    expect(head).toMatchObject({
      ContentLength: 1,
      ContentType: 'image/png',
      CacheControl: 'max-age=60',
      ContentEncoding: 'gzip',
      ETag: '"9dd4e461268c8034f5c8564e155c67a6"',
      TagCount: 2,
    });
    expect(head.LastModified).toBeInstanceOf(Date);
    const tags = await s3.client.send(new GetObjectTaggingCommand({ Bucket, Key: 'told' }));
    expect(tags.TagSet).toEqual([
      { Key: 'a', Value: 'b' },
      { Key: 'c', Value: 'd e' },
    ]);
  });

  it.each([
    ['MD5', createHash('md5').update('content').digest('base64')],
    ['SHA512', createHash('sha512').update('content').digest('base64')],
    ['XXHASH3', 'VfKzGmrPqmQ='],
  ] as const)('keeps its %s, which SDKs are given', async (algorithm, sum) => {
    const written = await put(algorithm, 'content', { [`Checksum${algorithm}`]: sum });
    // The SDK reads no object whose checksum it cannot calculate.
    const head = await s3.client.send(
      new HeadObjectCommand({ Bucket, Key: algorithm, ChecksumMode: 'ENABLED' }),
    );
    expect([written[`Checksum${algorithm}`], head[`Checksum${algorithm}`]]).toEqual([sum, sum]);
  });

  // Its MD5 comes as Content-MD5.
  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'MD5', 'SHA1', 'SHA256'] as const)(
    'keeps its %s',
    async (algorithm) => {
      const content = randomBytes(100_000);
      const written = await put(algorithm, content, { ChecksumAlgorithm: algorithm });
      // The SDK compares what it reads with this on its own.
      const read = await get(algorithm, { ChecksumMode: 'ENABLED' });
      expect(await bytesOf(read)).toEqual(content);
      expect(read[`Checksum${algorithm}`]).toBe(written[`Checksum${algorithm}`]);
      expect(read.ChecksumType).toBe('FULL_OBJECT');
      // Of a stream, the SDK sends it behind the content.
      const ContentLength = content.byteLength;
      const told = { ContentLength, ChecksumAlgorithm: algorithm };
      const streamed = await put(algorithm, Readable.from([content]), told);
      expect(streamed[`Checksum${algorithm}`]).toBe(written[`Checksum${algorithm}`]);
    },
  );

  it('is given AWS’s default checksum where it brought none', async () => {
    const plain = s3.clientWith({
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    const written = await plain.send(new PutObjectCommand({ Bucket, Key: 'plain', Body: 'x' }));
    expect(written.ChecksumType).toBe('FULL_OBJECT');
    const read = await get('plain', { ChecksumMode: 'ENABLED' });
    expect([read.ChecksumCRC64NVME, await read.Body?.transformToString()]).toEqual([
      written.ChecksumCRC64NVME,
      'x',
    ]);
    const Body = randomBytes(300_000);
    const large = await plain.send(new PutObjectCommand({ Bucket, Key: 'large', Body }));
    const told = await put('large', Body, { ChecksumAlgorithm: 'CRC64NVME' });
    expect(large.ChecksumCRC64NVME).toBe(told.ChecksumCRC64NVME);
  });

  it('has one time in lists and headers', async () => {
    await put('timed', 'x');
    const { LastModified } = await get('timed');
    const { Contents } = await s3.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'timed' }));
    expect(Contents?.[0]?.LastModified).toEqual(LastModified);
  });

  it('is returned in ranges', async () => {
    await put('digits', '0123456789');
    const range = async (Range: string) => {
      const response = await get('digits', { Range });
      return `${await bytesOf(response)} ${response.ContentRange} ${response.$metadata.httpStatusCode}`;
    };
    expect(await range('bytes=2-4')).toBe('234 bytes 2-4/10 206');
    expect(await range('bytes=7-')).toBe('789 bytes 7-9/10 206');
    expect(await range('bytes=-2')).toBe('89 bytes 8-9/10 206');
    expect(await range('bytes=8-100')).toBe('89 bytes 8-9/10 206');
    expect(await range('Bytes=8-99999999999999999999')).toBe('89 bytes 8-9/10 206');
    await expect(range('bytes=10-')).rejects.toMatchObject({ name: 'InvalidRange' });
    expect(await range('lines=1-2')).toBe('0123456789 undefined 200');
  });

  it('is read under conditions', async () => {
    const { ETag } = await put('known', 'x');
    const status = (more: object) =>
      get('known', more).then(
        ({ $metadata }) => $metadata.httpStatusCode,
        (error) => error.$metadata.httpStatusCode,
      );
    expect(await status({ IfMatch: ETag })).toBe(200);
    expect(await status({ IfMatch: '"other"' })).toBe(412);
    expect(await status({ IfNoneMatch: ETag })).toBe(304);
    expect(await status({ IfNoneMatch: '"other"' })).toBe(200);
    expect(await status({ IfModifiedSince: new Date() })).toBe(304);
    // What is yet to come is no condition.
    expect(await status({ IfModifiedSince: new Date(Date.now() + 60_000) })).toBe(200);
    expect(await status({ IfUnmodifiedSince: new Date(0) })).toBe(412);
  });

  it('is written under conditions', async () => {
    await put('once', 'first', { IfNoneMatch: '*' });
    await expect(put('once', 'second', { IfNoneMatch: '*' })).rejects.toMatchObject({
      name: 'PreconditionFailed',
    });
    await expect(put('once', 'second', { IfMatch: '"other"' })).rejects.toMatchObject({
      name: 'PreconditionFailed',
    });
    await expect(put('never', 'x', { IfMatch: '"other"' })).rejects.toMatchObject({ name: 'NoSuchKey' });
    const { ETag } = await get('once');
    await expect(put('once', 'second', { IfNoneMatch: ETag })).rejects.toMatchObject({
      name: 'PreconditionFailed',
    });
    await expect(put('once', 'second', { IfNoneMatch: `${ETag}, "other"` })).rejects.toMatchObject({
      name: 'NotImplemented',
    });
    expect(await textOf('once')).toBe('first');
  });

  it('is copied with its headers, or with new ones', async () => {
    const told = { Metadata: { a: '1' }, ContentType: 'text/css', Tagging: 'x=y' };
    await put('from é', 'copied', { ...told, WebsiteRedirectLocation: '/elsewhere' });
    expect((await get('from é')).WebsiteRedirectLocation).toBe('/elsewhere');
    const copy = (more: object = {}) =>
      s3.client.send(
        new CopyObjectCommand({ Bucket, Key: 'to', CopySource: encodeURI(`${Bucket}/from é`), ...more }),
      );
    await copy();
    const same = await get('to');
    expect(same).toMatchObject({ Metadata: { a: '1' }, ContentType: 'text/css', TagCount: 1 });
    expect(same.WebsiteRedirectLocation).toBeUndefined();
    await copy({ MetadataDirective: 'REPLACE', Metadata: { b: '2' }, TaggingDirective: 'REPLACE' });
    const replaced = await get('to');
    expect(replaced.Metadata).toEqual({ b: '2' });
    expect(replaced.TagCount).toBeUndefined();
    expect((await bytesOf(replaced)).toString()).toBe('copied');
    await expect(
      s3.client.send(new CopyObjectCommand({ Bucket, Key: 'to', CopySource: `${Bucket}/to` })),
    ).rejects.toMatchObject({ name: 'InvalidRequest' });
    const inPlace = (more: object) =>
      s3.client.send(new CopyObjectCommand({ Bucket, Key: 'to', CopySource: `${Bucket}/to`, ...more }));
    await expect(inPlace({ IfNoneMatch: '*' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    expect((await inPlace({ StorageClass: 'STANDARD' })).CopyObjectResult?.ETag).toBe(replaced.ETag);
    await expect(
      s3.client.send(new CopyObjectCommand({ Bucket, Key: 'to', CopySource: `${Bucket}/missing` })),
    ).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('has tags that can be changed, ten at most', async () => {
    await put('tagged', 'x');
    const tag = (count: number) =>
      s3.client.send(
        new PutObjectTaggingCommand({
          Bucket,
          Key: 'tagged',
          Tagging: {
            TagSet: Array.from({ length: count }, (_, n) => ({ Key: `k${n}`, Value: `<${n}>`.slice(1, -1) })),
          },
        }),
      );
    await tag(10);
    expect(
      (await s3.client.send(new GetObjectTaggingCommand({ Bucket, Key: 'tagged' }))).TagSet,
    ).toHaveLength(10);
    await expect(tag(11)).rejects.toMatchObject({
      name: 'BadRequest',
      message: 'Object tags cannot be greater than 10',
    });
  });

  it('is deleted with a thousand others in one request, and missing ones are no error', async () => {
    await put('gone', 'x');
    const Objects = ['gone', ...Array.from({ length: 999 }, (_, n) => `missing ${n}`)].map((Key) => ({
      Key,
    }));
    const { Deleted, Errors } = await s3.client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects } }),
    );
    expect(Deleted).toHaveLength(1_000);
    expect(Errors ?? []).toEqual([]);
    await expect(get('gone')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });
});

describe('a list', () => {
  beforeAll(async () => {
    const keys = ['l/a', 'l/b/1', 'l/b/2', 'l/c/1', 'l/d', 'l/é', 'l/😀/x'];
    for (const key of keys) await put(key, key);
  });

  it('folds folders, page by page, in both versions', async () => {
    const all = { Bucket, Prefix: 'l/', Delimiter: '/' };
    const seen: string[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await s3.client.send(new ListObjectsV2Command({ ...all, MaxKeys: 2, ContinuationToken }));
      seen.push(
        ...(page.Contents ?? []).map(({ Key }) => Key ?? ''),
        ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix ?? ''),
      );
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    const expected = ['l/a', 'l/b/', 'l/c/', 'l/d', 'l/é', 'l/😀/'];
    expect(seen.sort()).toEqual([...expected].sort());

    const first = await s3.client.send(new ListObjectsCommand({ ...all, MaxKeys: 2 }));
    expect([first.IsTruncated, first.NextMarker]).toEqual([true, 'l/b/']);
    const second = await s3.client.send(new ListObjectsCommand({ ...all, Marker: first.NextMarker }));
    expect(second.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['l/c/', 'l/😀/']);
    expect(second.Contents?.map(({ Key }) => Key)).toEqual(['l/d', 'l/é']);
  });

  it('begins after any key, and shows every object as its only version', async () => {
    const after = await s3.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'l/', StartAfter: 'l/c' }));
    expect(after.Contents?.map(({ Key }) => Key)).toEqual(['l/c/1', 'l/d', 'l/é', 'l/😀/x']);
    const { Versions } = await s3.client.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'l/d' }));
    expect(Versions).toMatchObject([{ Key: 'l/d', VersionId: 'null', IsLatest: true }]);
    const none = await s3.client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 0 }));
    expect([none.KeyCount, none.IsTruncated]).toEqual([0, false]);
  });
});
