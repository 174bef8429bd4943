import { type Selectable, sql } from 'kysely';
import { type Executor, isPostgres } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import type { ObjectsTable } from '#db/schema/objects.ts';
import { lastKeyIn } from '#server/s3/listings/list-folded.ts';

/** What a list contains of each object. */
export const LISTED_COLUMNS = [
  'key',
  'size',
  'etag',
  'modified_at',
  'checksum_algorithm',
  'checksum_type',
] as const;

type ListedRow = Pick<Selectable<ObjectsTable>, (typeof LISTED_COLUMNS)[number]>;

/** Behind a prefix, the end of all keys that begin with it. */
const LAST_CHARACTERS = lastKeyIn('');

/**
 * Returns the query for objects from a position on whose keys begin with a prefix, and of a folder, which is what keys have in common
 * up to the first delimiter behind the prefix, only the first. One statement goes from each name to the next one and
 * looks up one row for each, however much a folder contains.
 * @param comparison whether the position itself belongs to the list
 */
export function selectFolded(comparison: '>' | '>=') {
  const order = sql.raw(comparison);
  const columns = sql.join(LISTED_COLUMNS.map((name) => sql.ref(name)));
  const columnsOfNext = sql.join(LISTED_COLUMNS.map((name) => sql.ref(`objects.${name}`)));
  const query = preparedQuery(
    (
      executor,
      bucketId: string,
      position: string,
      end: string,
      limit: number,
      delimiter: string,
      prefixCharacters: number,
      delimiterCharacters: number,
    ) => {
      const prefixLength = sql`cast(${prefixCharacters} as integer)`;
      const delimiterLength = sql`cast(${delimiterCharacters} as integer)`;
      const find = sql.raw(isPostgres(executor) ? 'strpos' : 'instr');
      const found = sql`${find}(substr(skip.key, ${prefixLength} + 1), ${delimiter})`;
      const folder = sql`substr(skip.key, 1, ${prefixLength} + ${found} - 1 + ${delimiterLength})`;
      // Steps are counted: that bounds them on both engines, and gives the order without comparing keys.
      const statement = sql<ListedRow>`
        with recursive skip as (
          select 1 as step, first.* from (
            select ${columns} from objects
            where bucket_id = ${bucketId} and key ${order} ${position} and key <= ${end}
            order by key limit 1
          ) as first
          union all
          select skip.step + 1, ${columnsOfNext}
          from skip cross join objects
          where skip.step < cast(${limit} as integer) and objects.bucket_id = ${bucketId} and objects.key = (
            select following.key from objects as following
            where following.bucket_id = ${bucketId} and following.key <= ${end} and following.key >
              case when ${found} = 0 then skip.key else ${folder} || ${LAST_CHARACTERS} end
            order by following.key limit 1
          )
        )
        select ${columns} from skip order by step`;
      return { compile: () => statement.compile(executor) };
    },
  );
  return (
    executor: Executor,
    bucketId: string,
    {
      position,
      prefix,
      delimiter,
      limit,
    }: { position: string; prefix: string; delimiter: string; limit: number },
  ): Promise<ListedRow[]> => {
    const end = lastKeyIn(prefix);
    const [prefixCharacters, delimiterCharacters] = [[...prefix].length, [...delimiter].length];
    return query(executor, bucketId, position, end, limit, delimiter, prefixCharacters, delimiterCharacters);
  };
}
