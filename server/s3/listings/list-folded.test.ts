import { describe, expect, it } from 'vitest';
import { seededRandom } from '#tests/support/seeded-random.ts';
import type { ListedObject, S3Ports } from '../ports.ts';
import { type FoldedQuery, folderOf, listFolded } from './list-folded.ts';

const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** A bucket of these keys, which counts how much is read. */
function bucketOf(keys: readonly string[]) {
  const sorted = [...new Set(keys)].sort(compare);
  let rows = 0;
  let reads = 0;
  const ports: Pick<S3Ports, 'listObjects'> = {
    async listObjects(_, { prefix, after, limit, delimiter = '' }) {
      const folders = new Set<string>();
      const found = sorted
        .filter((key) => key.startsWith(prefix))
        .filter((key) => compare(key, after) > 0)
        .filter((key) => {
          const folder = folderOf(key, { prefix, delimiter });
          if (folder === null) return true;
          return !folders.has(folder) && folders.add(folder);
        })
        .slice(0, limit);
      rows += found.length;
      reads += 1;
      return found.map((key): ListedObject => ({ key, size: 1, etag: 'e', modifiedAt: 0, checksum: null }));
    },
  };
  const list = async (query: Partial<FoldedQuery>) => {
    const whole = { prefix: '', delimiter: '', after: '', max: 1_000, ...query };
    const { objects, prefixes, next } = await listFolded(ports, { id: 'bucket', ownerId: 'owner' }, whole);
    return { names: [...objects.map(({ key }) => key), ...prefixes].sort(compare), next };
  };
  return { sorted, list, rowsRead: () => rows, reads: () => reads };
}

/** A list by its definition: every key, folded, once. */
function naive(
  sorted: readonly string[],
  { prefix, delimiter }: Pick<FoldedQuery, 'prefix' | 'delimiter'>,
): string[] {
  const names = sorted
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      return at === -1 ? key : key.slice(0, at + delimiter.length);
    });
  return [...new Set(names)].sort(compare);
}

describe('a list of keys', () => {
  it('goes on behind the folder of a marker that lies in it, and within it after a key', async () => {
    const { list } = bucketOf(['a/1', 'a/2', 'b', 'c/1']);
    const query = { delimiter: '/', after: 'a/1' };
    expect((await list({ ...query, isFolderOfAfterListed: true })).names).toEqual(['b', 'c/']);
    expect((await list(query)).names).toEqual(['a/', 'b', 'c/']);
  });

  it('contains every name once and in order, for any page, prefix and delimiter', async () => {
    const random = seededRandom(11);
    const letters = ['a', 'b', '/', '//', 'é', '😀', '-', 'z'];
    const word = (length: number) =>
      Array.from({ length }, () => letters[random.below(letters.length)]).join('');
    for (let round = 0; round < 150; round += 1) {
      const keys = Array.from({ length: random.below(60) }, () => `k${word(random.below(7))}`);
      const { sorted, list } = bucketOf(keys);
      const prefix = random.below(2) === 0 ? '' : `k${word(random.below(3))}`;
      const delimiter = ['', '/', 'a', '//'][random.below(4)] ?? '';
      const max = 1 + random.below(9);
      const names: string[] = [];
      for (let after = '', pages = 0; ; pages += 1) {
        expect(pages).toBeLessThanOrEqual(keys.length + 1);
        const page = await list({ prefix, delimiter, after, max });
        expect(page.names.length).toBeLessThanOrEqual(max);
        names.push(...page.names);
        if (page.next === null) break;
        after = page.next;
      }
      expect(names, JSON.stringify({ sorted, prefix, delimiter, max })).toEqual(
        naive(sorted, { prefix, delimiter }),
      );
    }
  });

  it('is empty for zero names, and reports that nothing follows', async () => {
    expect(await bucketOf(['a']).list({ max: 0 })).toEqual({ names: [], next: null });
  });

  it('does not read a whole folder to find the next one', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `folder-${index % 5}/${index}`);
    const { list, rowsRead } = bucketOf(keys);
    expect((await list({ delimiter: '/' })).names).toHaveLength(5);
    expect(rowsRead()).toBeLessThan(2_000);
  });

  it('takes a few reads of a few milliseconds, however many folders and objects a page contains', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `${index % 800}/${index}`);
    const { list, reads } = bucketOf([...keys, ...Array.from({ length: 150 }, (_, index) => `${index}`)]);
    expect((await list({ delimiter: '/' })).names).toHaveLength(950);
    expect(reads()).toBe(5);
  });
});
