import { type IncomingMessage, request } from 'node:http';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { registerBucketOwner, type S3Keys } from '#tests/support/storage/s3-client.ts';
import { signAndSend } from '#tests/support/storage/s3-raw.ts';
import { oldPostFields, signedHeaders } from '#tests/support/storage/s3-signing.ts';

// What clients do that the API reference does not mention.
let server: TestServer;
let keys: S3Keys;
let client: S3Client;
const Bucket = 'habits';

beforeAll(async () => {
  server = await startTestServer({ BILLING_MODE: 'off', S3_URL: 'https://s3.example.ca' });
  const owner = await registerBucketOwner(server);
  keys = await owner.createKeys([(await owner.createBucket(Bucket)).id]);
  client = owner.client(keys);
});
afterAll(() => server.close());

const uploadPart = async (Key: string, UploadId: string, Body: string) =>
  (await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body }))).ETag;

it('gets addresses with the operator’s hostname when a proxy terminates TLS', async () => {
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'whole' }));
  const ETag = await uploadPart('whole', UploadId, 'x');
  const { Location } = await client.send(
    new CompleteMultipartUploadCommand({
      Bucket,
      Key: 'whole',
      UploadId,
      MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
    }),
  );
  expect(Location).toMatch(/^https:\/\/.*\/habits\/whole$/);
});

it('may list a part twice that it has sent twice: the later one counts', async () => {
  const Key = 'twice';
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const first = await uploadPart(Key, UploadId, 'first');
  const second = await uploadPart(Key, UploadId, 'second');
  const Parts = [first, second].map((ETag) => ({ PartNumber: 1, ETag }));
  await client.send(
    new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
  );
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
  expect(await Body?.transformToString()).toBe('second');
});

it('may complete an upload several times at once, and is told the same each time', async () => {
  const Key = 'at once';
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const ETag = await uploadPart(Key, UploadId, 'x');
  const completed = { Bucket, Key, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } };
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => client.send(new CompleteMultipartUploadCommand(completed))),
  );
  expect(new Set(responses.map((response) => response.ETag)).size).toBe(1);
});

it('is told what is wrong with the checksums of a whole before its parts are looked at', async () => {
  const Key = 'sums';
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const ETag = await uploadPart(Key, UploadId, 'x');
  const path = `/${Bucket}/${Key}?uploadId=${UploadId}`;
  const part = (etag: string) => `<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part>`;
  const complete = async (etag: string | undefined, headers: Record<string, string>) => {
    const body = `<CompleteMultipartUpload>${part(etag ?? '')}</CompleteMultipartUpload>`;
    const { status, text } = await signAndSend(server.s3Port, { method: 'POST', path, keys, headers, body });
    return `${status} ${/<Message>([^<]*)/.exec(text)?.[1] ?? ''}`;
  };
  const two = { 'x-amz-checksum-crc32': 'jNlUJw==', 'x-amz-checksum-crc32c': 'jNlUJw==' };
  expect(await complete('other', two)).toContain('Expecting a single x-amz-checksum- header.');
  expect(await complete(ETag, { 'x-amz-checksum-type': 'FULL_OBJECT' })).toBe(
    '400 The upload was created using the null checksum mode. The complete request must use the same checksum mode.',
  );
});

it('may ask for the last bytes of an object that has none', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'empty', Body: '' }));
  const range = async (text: string) => {
    const headers = { range: `bytes=${text}` };
    const { status } = await signAndSend(server.s3Port, {
      method: 'GET',
      path: `/${Bucket}/empty`,
      keys,
      headers,
    });
    return status;
  };
  expect([await range('-5'), await range('-0'), await range('0-')]).toEqual([200, 416, 416]);
});

it('is given the checksum of the whole with a range that is none', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'ranged', Body: 'abc', ChecksumAlgorithm: 'SHA1' }));
  const checksum = async (Range: string) => {
    const response = await client.send(
      new GetObjectCommand({ Bucket, Key: 'ranged', Range, ChecksumMode: 'ENABLED' }),
    );
    return response.ChecksumSHA1;
  };
  expect(await checksum('bytes=2-1')).toBe('qZk+NkcGgWq6PiVxeFDCbJzQ2J0=');
  expect(await checksum('bytes=0-1')).toBeUndefined();
  expect(await checksum('bytes=0-9')).toBe('qZk+NkcGgWq6PiVxeFDCbJzQ2J0=');
});

it('finds the headers of an object as S3 spells them', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'spelled', Body: 'x' }));
  const head = { host: `127.0.0.1:${server.s3Port}`, keys, method: 'GET', path: `/${Bucket}/spelled` };
  const names = await new Promise<string[]>((resolve, reject) => {
    const { path, method } = head;
    request(
      { host: '127.0.0.1', port: server.s3Port, path, method, headers: signedHeaders(head) },
      (response) => {
        response.resume();
        resolve(response.rawHeaders);
      },
    )
      .on('error', reject)
      .end();
  });
  expect(names).toEqual(expect.arrayContaining(['ETag', 'Last-Modified', 'Content-Type', 'Accept-Ranges']));
});

it('may set tags without a set: there are none then', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'tagged', Body: 'x', Tagging: 'a=b' }));
  const path = `/${Bucket}/tagged?tagging`;
  const { status } = await signAndSend(server.s3Port, { method: 'PUT', path, keys, body: '<Tagging/>' });
  const { TagSet } = await client.send(new GetObjectTaggingCommand({ Bucket, Key: 'tagged' }));
  expect([status, TagSet]).toEqual([200, []]);
});

it('may expect what is unknown', async () => {
  const response = await signAndSend(server.s3Port, {
    method: 'PUT',
    path: `/${Bucket}/expected`,
    keys,
    headers: { expect: 'something' },
    body: 'x',
  });
  expect(response.status).toBe(200);
});

it('may request its first page with an empty token', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'listed/a', Body: 'a' }));
  const page = await client.send(
    new ListObjectsV2Command({ Bucket, Prefix: 'listed/', ContinuationToken: '' }),
  );
  expect(page.Contents?.map(({ Key }) => Key)).toEqual(['listed/a']);
  expect(page.ContinuationToken).toBe('');
});

it('may name the first version of a list', async () => {
  const send = (query: string) =>
    signAndSend(server.s3Port, { method: 'GET', path: `/${Bucket}?${query}`, keys });
  const first = await send('list-type=1&prefix=listed');
  expect([first.status, first.text.includes('<Marker>'), first.text.includes('<KeyCount>')]).toEqual([
    200,
    true,
    false,
  ]);
  expect((await send('list-type=3')).status).toBe(400);
});

it('gets codings back as sent, without that of the transfer', async () => {
  const coded = async (ContentEncoding: string) => {
    await client.send(new PutObjectCommand({ Bucket, Key: 'coded', Body: 'x', ContentEncoding }));
    return (await client.send(new GetObjectCommand({ Bucket, Key: 'coded' }))).ContentEncoding;
  };
  expect(await coded('deflate, gzip')).toBe('deflate, gzip');
  expect(await coded('gzip,aws-chunked')).toBe('gzip');
  expect(await coded('aws-chunked')).toBeUndefined();
});

it('may send a stream whose end HTTP marks', async () => {
  const path = `/${Bucket}/streamed`;
  const host = `127.0.0.1:${server.s3Port}`;
  const headers = signedHeaders({ method: 'PUT', path, host, keys });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sending = request({ host: '127.0.0.1', port: server.s3Port, path, method: 'PUT', headers });
    sending.on('response', resolve).on('error', reject);
    sending.write('in ');
    sending.end('parts');
  });
  expect(response.statusCode).toBe(200);
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'streamed' }));
  expect(await Body?.transformToString()).toBe('in parts');
});

it('may send a file name for every field of a form', async () => {
  const form = new FormData();
  const fields = oldPostFields(keys, [{ bucket: Bucket }, ['starts-with', '$key', 'formed']]);
  for (const [name, value] of Object.entries({ key: 'formed', ...fields })) {
    form.set(name, new Blob([value]), name);
  }
  form.set('file', 'content of a field');
  const response = await fetch(`http://127.0.0.1:${server.s3Port}/${Bucket}`, { method: 'POST', body: form });
  expect(response.status).toBe(204);
});

it('gets tags ordered by key', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'tagged', Body: 'x' }));
  const TagSet = ['b', 'a', 'c'].map((Key) => ({ Key, Value: '1' }));
  await client.send(new PutObjectTaggingCommand({ Bucket, Key: 'tagged', Tagging: { TagSet } }));
  const told = await client.send(new GetObjectTaggingCommand({ Bucket, Key: 'tagged' }));
  expect(told.TagSet?.map(({ Key }) => Key)).toEqual(['a', 'b', 'c']);
});
