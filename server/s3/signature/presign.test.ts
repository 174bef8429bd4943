import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { S3Access } from '../ports.ts';
import { readS3Request } from '../s3-request.ts';
import { authenticate } from './authenticate.ts';
import { presign } from './presign.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const REGION = 'qc-south-1';
const access: S3Access = {
  accessKeyId: 'console.a.b.c',
  secretKey: 'secret',
  credentialId: 'c',
  credentialName: 'c',
  ownerId: 'o',
  ownerName: 'o',
  mayCreateBuckets: false,
  mayReach: () => true,
};

/** Uses an address like a browser. Returns who signed it. */
async function ask(address: string, { method = 'GET', at = NOW } = {}) {
  const { host, pathname, search } = new URL(address);
  const message = new IncomingMessage(new Socket());
  Object.assign(message, { method, url: pathname + search, headers: { host }, rawHeaders: ['Host', host] });
  const request = readS3Request(message, { domain: 's3.example.ca', scheme: 'https' }, 'request');
  const findAccess = async (id: string) => (id === access.accessKeyId ? access : null);
  const signed = await authenticate(request, { findAccess }, { region: REGION, now: at });
  return { key: request.key, bucket: request.bucket, who: signed?.access.accessKeyId };
}

const addressOf = (key: string, query: Record<string, string> = {}, method = 'GET') =>
  presign({
    ...{ method, key, query, endpoint: 'https://s3.example.ca', region: REGION, bucket: 'photos' },
    ...{ accessKeyId: access.accessKeyId, secretKey: access.secretKey, now: NOW, expiresInSeconds: 600 },
  });

describe('a presigned address', () => {
  it.each([
    'a/../b',
    './a',
    '..',
    'a/.',
    '.../a',
    '.git/config',
    '/a',
    'a//b',
    'a',
    'a/b.txt',
    'été 2026/à côté.txt',
    'a+b&c=d?e#f',
    "quote's (1)*!",
    '100%',
    '😀',
  ])('of the key %s is accepted as it is', async (key) => {
    expect(await ask(addressOf(key))).toEqual({ key, bucket: 'photos', who: access.accessKeyId });
  });

  it('is accepted for what it was signed for, and for nothing else', async () => {
    const address = addressOf('a', { partNumber: '1', uploadId: 'b c' }, 'PUT');
    expect((await ask(address, { method: 'PUT' })).who).toBe(access.accessKeyId);
    const wrong = { code: 'SignatureDoesNotMatch' };
    await expect(ask(address)).rejects.toMatchObject(wrong);
    await expect(
      ask(address.replace('partNumber=1', 'partNumber=2'), { method: 'PUT' }),
    ).rejects.toMatchObject(wrong);
    await expect(ask(address.replace('/photos/a', '/photos/b'), { method: 'PUT' })).rejects.toMatchObject(
      wrong,
    );
    await expect(ask(address.replace('Expires=600', 'Expires=601'), { method: 'PUT' })).rejects.toMatchObject(
      wrong,
    );
  });

  it('expires', async () => {
    expect((await ask(addressOf('a'), { at: NOW + 599_000 })).who).toBe(access.accessKeyId);
    await expect(ask(addressOf('a'), { at: NOW + 601_000 })).rejects.toMatchObject({ code: 'AccessDenied' });
  });
});
