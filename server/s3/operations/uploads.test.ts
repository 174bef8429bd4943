import { expect, it } from 'vitest';
import type { S3Call } from '../call.ts';
import type { S3Ports, S3Upload } from '../ports.ts';
import { listMultipartUploads } from './uploads.ts';

/** Lists uploads of these keys, folded at `/`, and returns the list with how often the database was asked. */
async function list(keys: readonly string[], max: number) {
  const ordered = keys
    .map((key, at) => ({ key, id: String(at).padStart(5, '0') }))
    .sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
  let asked = 0;
  const listUploads: S3Ports['listUploads'] = async (_, { afterKey, afterId, limit }) => {
    asked += 1;
    const isAfter = ({ key, id }: { key: string; id: string }) => {
      const order = Buffer.compare(Buffer.from(key), Buffer.from(afterKey));
      return order > 0 || (order === 0 && afterId !== '' && id > afterId);
    };
    const told = { initiatedAt: 0, checksum: null, headers: {}, metadata: {}, tags: [] };
    return ordered
      .filter(isAfter)
      .slice(0, limit)
      .map((row): S3Upload => ({ ...row, ...told }));
  };
  const query = Object.entries({ uploads: '', delimiter: '/', 'max-uploads': String(max) });
  const call: Pick<S3Call, 'request' | 'access' | 'bucket' | 'ports'> = {
    request: { query } as unknown as S3Call['request'],
    access: { ownerId: 'o', ownerName: 'o' } as S3Call['access'],
    bucket: { id: 'b', name: 'b' } as S3Call['bucket'],
    ports: { listUploads } as S3Ports,
  };
  const { body } = await listMultipartUploads(call as S3Call);
  const shown = [...String(body).matchAll(/<CommonPrefixes><Prefix>([^<]+)|<Upload><Key>([^<]+)/g)];
  return {
    asked,
    names: shown.map(([, prefix, key]) => prefix ?? key).sort(),
    isTruncated: String(body).includes('<IsTruncated>true'),
  };
}

it('a folder of many uploads is passed over, whatever their keys are', async () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `p/${at % 2 === 0 ? '' : '\u{10ffff}/'}${at}`);
  const { asked, ...found } = await list([...many, 'a', 'p/', 'p0', 'q/1', 'q/2', 'r'], 10);
  expect(found).toEqual({ names: ['a', 'p/', 'p0', 'q/', 'r'], isTruncated: false });
  expect(asked).toBeLessThan(10);
  expect(await list([...many, 'q'], 1)).toEqual({ asked: 2, names: ['p/'], isTruncated: true });
});
