import { once } from 'node:events';
import { connect } from 'node:net';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createTRPCClient, httpBatchLink } from '@trpc/client';
import superjson from 'superjson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '#server/durations.ts';
import type { AppRouter } from '#server/routers/app-router.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { ENGINES, startServerOn } from '#tests/support/server/server-on-engine.ts';
import type { TestServer } from '#tests/support/server/test-server.ts';
import { type BucketOwner, registerBucketOwner, type S3Keys } from '#tests/support/storage/s3-client.ts';
import { headText, signAndSend } from '#tests/support/storage/s3-raw.ts';
import { signedHeaders } from '#tests/support/storage/s3-signing.ts';
import { tallyOf } from './s3-tally.ts';

const MIB = 1024 ** 2;

/** Least and most byte-hours of changes that happened at some instant between the two of each. */
class Ledger {
  private readonly changes: { bytes: number; from: number; to: number }[] = [];

  async note<T>(bytes: number, work: Promise<T>): Promise<T> {
    const from = Date.now();
    const result = await work;
    this.changes.push({ bytes, from, to: Date.now() });
    return result;
  }

  bounds(askedFrom: number, askedTo: number): { least: number; most: number } {
    let [least, most] = [0, 0];
    for (const { bytes, from, to } of this.changes) {
      const [early, late] = [bytes * (askedTo - from), bytes * (askedFrom - to)];
      least += Math.min(early, late);
      most += Math.max(early, late);
    }
    return { least: least / HOUR_MS - 1, most: most / HOUR_MS + 1 };
  }
}

/** Stores, overwrites, copies, reads, lists and deletes. */
async function work(client: S3Client, Bucket: string, ledger: Ledger): Promise<void> {
  const put = (Key: string, bytes: number) => {
    const Body = Buffer.alloc(bytes, 'x');
    return client.send(new PutObjectCommand({ Bucket, Key, Body }));
  };
  const get = async (Key: string, Range?: string) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range }));
    await Body?.transformToByteArray();
  };
  await ledger.note(2 * MIB, put('big', 2 * MIB));
  await ledger.note(-MIB, put('big', MIB));
  await ledger.note(100, put('small', 100));
  await ledger.note(0, put('empty', 0));
  await ledger.note(
    MIB,
    client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/big` })),
  );
  await get('big');
  await get('big', 'bytes=0-999');
  await get('small');
  await get('empty');
  await client.send(new HeadObjectCommand({ Bucket, Key: 'copy' }));
  await client.send(new ListObjectsV2Command({ Bucket }));
  await expect(get('missing')).rejects.toMatchObject({ name: 'NoSuchKey' });
  const begin = async (Key: string) => {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const upload = { Bucket, Key, UploadId };
    const part = async (PartNumber: number, bytes: number) => {
      const Body = Buffer.alloc(bytes, 'p');
      // What a part stores counts before the upload is completed.
      const sent = client.send(new UploadPartCommand({ ...upload, PartNumber, Body }));
      const { ETag } = await ledger.note(bytes, sent);
      return { ETag, PartNumber };
    };
    return { upload, part };
  };
  const whole = await begin('parts');
  const Parts = [await whole.part(1, 5 * MIB), await whole.part(2, 10)];
  const complete = new CompleteMultipartUploadCommand({ ...whole.upload, MultipartUpload: { Parts } });
  await client.send(complete);
  const aborted = await begin('aborted');
  await aborted.part(1, MIB);
  await ledger.note(-MIB, client.send(new AbortMultipartUploadCommand(aborted.upload)));
  await ledger.note(-MIB, client.send(new DeleteObjectCommand({ Bucket, Key: 'copy' })));
  const Objects = [{ Key: 'small' }, { Key: 'empty' }, { Key: 'was never there' }];
  await ledger.note(-100, client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } })));
}

/** Begins an upload, and is gone in the middle of it. */
async function cutUpload({ s3Port }: TestServer, path: string, keys: S3Keys): Promise<void> {
  const signed = signedHeaders({ method: 'PUT', path, host: `127.0.0.1:${s3Port}`, keys });
  const socket = connect(s3Port, '127.0.0.1');
  socket.write(headText('PUT', path, { ...signed, 'content-length': 2 * MIB, expect: '100-continue' }));
  await once(socket, 'data');
  await new Promise((resolve) => socket.write(Buffer.alloc(MIB), resolve));
  socket.destroy();
}

describe.each(ENGINES)('on %s', (engine) => {
  let server: TestServer;
  let owner: BucketOwner;
  beforeAll(async () => {
    server = await startServerOn(engine);
    owner = await registerBucketOwner(server);
  });
  afterAll(() => server?.close());

  it('a bucket is metered as its client counts, by REST, tRPC, CSV and list, and strangers are not', async () => {
    const { person, signedIn } = owner.deployer;
    const bucket = await owner.createBucket('metered');
    const other = await owner.createBucket('not-metered');
    const keys = await owner.createKeys([bucket.id]);
    const client = owner.client(keys);
    const tally = tallyOf(client);
    const ledger = new Ledger();
    await work(client, bucket.name, ledger);
    // Refused with the right to the bucket, and without.
    const Expected = { Bucket: bucket.name, Key: 'big', ExpectedBucketOwner: '123456789012' };
    await expect(client.send(new GetObjectCommand(Expected))).rejects.toMatchObject({ name: 'AccessDenied' });
    const stranger = { ...keys, secretAccessKey: 'wrong' };
    const path = `/${bucket.name}/big`;
    const forged = await signAndSend(server.s3Port, { method: 'GET', path, keys: stranger });
    const elsewhere = await signAndSend(server.s3Port, { method: 'GET', path: `/${other.name}/big`, keys });
    expect([forged.status, elsewhere.status]).toEqual([403, 403]);
    await cutUpload(server, `/${bucket.name}/cut`, keys);
    // It was a request, and nothing else.
    tally.requests += 1;

    const expected = {
      total_requests: tally.requests,
      total_bytes_received: tally.received,
      total_bytes_sent: tally.sent,
      total_refused_requests: 1,
    };
    const address = '/api/v1/usage/storage';
    const ask = async () => objectOf(await person('GET', `${address}?period=day`));
    await expect.poll(ask, { timeout: 10_000 }).toMatchObject({ summary: expected });
    const trpc = createTRPCClient<AppRouter>({
      links: [
        httpBatchLink({
          url: `${server.consoleUrl}/api/trpc`,
          transformer: superjson,
          headers: { cookie: signedIn.cookie },
        }),
      ],
    });
    const [membership] = await trpc.organizations.list.query();
    const organization_id = membership?.organization.id ?? '';
    const from = Date.now();
    const usage = await trpc.usage.storage.query({ organization_id, period: 'day' });
    const asked = { from, to: Date.now() };
    const { byte_hours, ...rest } = usage.summary;
    expect(rest).toEqual(expected);
    expect(usage.buckets).toMatchObject([{ name: 'metered', is_deleted: false, byte_hours, ...expected }]);
    const { least, most } = ledger.bounds(asked.from, asked.to);
    expect(byte_hours).toBeGreaterThanOrEqual(least);
    expect(byte_hours).toBeLessThanOrEqual(most);
    const csv = await person('GET', `${address}.csv?period=day&bucket_id=${bucket.id}`);
    expect(csv.text.trim().split('\r\n').at(-1)).toMatch(
      new RegExp(`,metered,\\d+,${tally.requests},${tally.received},${tally.sent},1$`),
    );
    expect(objectOf(await person('GET', `/api/v1/storage/buckets/${bucket.id}`))).toMatchObject({
      object_count: 2,
      stored_bytes: 6 * MIB + 10,
    });
    client.destroy();
  });
});
