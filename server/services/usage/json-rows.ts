import { type RawBuilder, sql } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';

/** A row of {@link selectJsonRows}, in the order of its columns. */
export type JsonRow = readonly (string | number | null)[];

/**
 * Returns a select of rows that are passed as one value: the statement is the same for any number of them, so
 * it is prepared once and not limited in its parameters. Rows are ordered by all their columns.
 */
export function selectJsonRows(
  trx: Trx,
  types: readonly ('text' | 'bigint')[],
  rows: readonly JsonRow[],
): RawBuilder<unknown> {
  const text = JSON.stringify(rows);
  const source = isPostgres(trx)
    ? sql`json_array_elements(cast(${text} as json)) as listed(value)`
    : sql`json_each(${text}) as listed`;
  const columns = types.map(
    (type, at) => sql`cast(listed.value ->> ${sql.lit(at)} as ${sql.raw(type)}) as ${sql.ref(`c${at}`)}`,
  );
  const order = types.map((_, at) => sql.lit(at + 1));
  return sql`select ${sql.join(columns)} from ${source} order by ${sql.join(order)}`;
}
