import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { objectOf } from '#tests/support/rest-client.ts';
import { type BucketOwner, registerBucketOwner } from '#tests/support/s3-client.ts';
import { signAndSend } from '#tests/support/s3-raw.ts';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';

let server: TestServer;
let owner: BucketOwner;

beforeAll(async () => {
  server = await startTestServer({ BILLING_MODE: 'off' });
  owner = await registerBucketOwner(server);
});
afterAll(() => server.close());

it('counts requests, incoming and outgoing bytes of a bucket, and nothing for strangers', async () => {
  const bucket = await owner.createBucket('metered');
  const other = await owner.createBucket('not-metered');
  const keys = await owner.createKeys([bucket.id]);
  const client = owner.client(keys);
  const Bucket = bucket.name;
  const Body = Buffer.alloc(100_000, 'x');
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body }));
  const whole = await client.send(new GetObjectCommand({ Bucket, Key: 'a' }));
  await whole.Body?.transformToByteArray();
  const part = await client.send(new GetObjectCommand({ Bucket, Key: 'a', Range: 'bytes=0-999' }));
  await part.Body?.transformToByteArray();
  await client.send(new HeadObjectCommand({ Bucket, Key: 'a' }));
  const stranger = { ...keys, secretAccessKey: 'wrong' };
  const refused = await signAndSend(server.s3Port, { method: 'GET', path: `/${Bucket}/a`, keys: stranger });
  expect(refused.status).toBe(403);
  const elsewhere = await signAndSend(server.s3Port, { method: 'GET', path: `/${other.name}/a`, keys });
  expect(elsewhere.status).toBe(403);
  const { person } = owner.deployer;
  const read = async () => objectOf(await person('GET', '/api/v1/usage/storage?period=day'));
  await expect.poll(read, { timeout: 10_000 }).toMatchObject({
    summary: {
      total_requests: 4,
      total_bytes_received: 100_000,
      total_bytes_sent: 101_000,
      total_refused_requests: 0,
    },
  });
  const csv = await person('GET', '/api/v1/usage/storage.csv?period=day');
  expect(csv.text).toContain(',metered,');
});
