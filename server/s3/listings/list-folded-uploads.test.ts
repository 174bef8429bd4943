import { expect, it } from 'vitest';
import type { ListedUpload, S3Ports } from '../ports.ts';
import { listFoldedUploads } from './list-folded-uploads.ts';

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
    const told = { initiatedAt: 0, checksum: null };
    return ordered
      .filter(isAfter)
      .slice(0, limit)
      .map((row): ListedUpload => ({ ...row, ...told }));
  };
  const query = { prefix: '', delimiter: '/', keyMarker: '', idMarker: '', max };
  const { uploads, prefixes, next } = await listFoldedUploads(
    { listUploads },
    { id: 'bucket', ownerId: 'owner' },
    query,
  );
  return { asked, names: [...uploads.map(({ key }) => key), ...prefixes].sort(), next };
}

it('a folder of many uploads is passed over, whatever their keys are', async () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `p/${at % 2 === 0 ? '' : '\u{10ffff}/'}${at}`);
  const { asked, ...found } = await list([...many, 'a', 'p/', 'p0', 'q/1', 'q/2', 'r'], 10);
  expect(found).toEqual({ names: ['a', 'p/', 'p0', 'q/', 'r'], next: null });
  expect(asked).toBeLessThan(10);
  const page = await list([...many, 'q'], 1);
  expect(page).toEqual({ asked: 2, names: ['p/'], next: { key: 'p/', id: '' } });
});

it('a list of zero uploads is empty, and reports that nothing follows', async () => {
  expect(await list(['a'], 0)).toEqual({ asked: 0, names: [], next: null });
});
