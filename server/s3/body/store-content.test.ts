import { expect, it } from 'vitest';
import type { S3Access, S3Bucket, S3Ports } from '../ports.ts';
import { storeObject } from './store-content.ts';

const access = (mayReach: boolean) =>
  ({ accessKeyId: 'PK', mayReach: () => mayReach }) as unknown as S3Access;

/** Stores content that has arrived; its sender has this access by now. */
async function store(accessNow: S3Access | null): Promise<string[]> {
  const done: string[] = [];
  const note = (what: string) => async () => void done.push(what);
  const ports = {
    findAccess: async () => accessNow,
    putObject: note('stored'),
  } as unknown as S3Ports;
  const piece = { id: 'one', size: 1, content: null, keep: note('kept'), discard: note('discarded') };
  const call = { ports, access: access(true), bucket: { id: 'bucket' } as S3Bucket, key: 'a.txt' };
  const headers = { headers: {}, metadata: {}, tags: [] };
  await storeObject(call, { piece, etag: 'e', checksum: null }, headers, { kind: 'none' }).catch(({ code }) =>
    done.push(code),
  );
  return done;
}

it('content is stored only while its sender still has the access', async () => {
  expect(await store(access(true))).toEqual(['kept', 'stored']);
  expect(await store(access(false))).toEqual(['discarded', 'AccessDenied']);
  expect(await store(null)).toEqual(['discarded', 'AccessDenied']);
});
