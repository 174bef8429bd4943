import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { sql } from 'kysely';
import type { Db, Executor, Trx } from '../client.ts';

const ROWS_AT_ONCE = 1_000;
/** Contains the product's tables, including those of the migrations. */
const SCHEMA = 'public';

/**
 * Writes every row that a transaction sees to a compressed file of lines: a table as `"name"`, then its rows
 * as JSON objects, written by PostgreSQL itself so that no number loses digits. Unlike pg_dump, it needs no
 * program matching the server's version.
 */
export async function dumpPostgres(trx: Trx, path: string): Promise<void> {
  const file = createGzip({ level: 4 });
  const written = pipeline(file, createWriteStream(path, { mode: 0o600 }));
  // Waiting for the buffer to drain also reports a failure.
  written.catch(() => undefined);
  const write = async (text: string) => {
    if (!file.write(text))
      await Promise.race([new Promise((resolve) => file.once('drain', resolve)), written]);
  };
  for (const table of await listTables(trx)) {
    await write(`${JSON.stringify(table)}\n`);
    await sql`declare dumped no scroll cursor for select to_jsonb(t)::text as row from ${sql.table(table)} as t`.execute(
      trx,
    );
    for (;;) {
      const { rows } = await sql<{ row: string }>`fetch forward ${sql.lit(ROWS_AT_ONCE)} from dumped`.execute(
        trx,
      );
      if (rows.length === 0) break;
      // PostgreSQL's JSON contains no line breaks.
      await write(`${rows.map(({ row }) => row).join('\n')}\n`);
    }
    await sql`close dumped`.execute(trx);
  }
  file.end();
  await written;
}

/**
 * Fills the tables of a database whose schema is the one that was dumped, in one transaction. Rows written by
 * migrations are replaced.
 */
export async function loadPostgres(db: Db, path: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const tables = await listTables(trx);
    const keys = await dropForeignKeys(trx);
    // What triggers would write is already among the rows.
    await setTriggers(trx, tables, 'disable');
    await sql`truncate ${sql.join(tables.map((table) => sql.table(table)))}`.execute(trx);
    const source = createReadStream(path);
    const unpacked = source.pipe(createGunzip());
    source.once('error', (error) => unpacked.destroy(error));
    let table: string | null = null;
    let rows: string[] = [];
    const insert = async () => {
      if (rows.length === 0 || table === null) return;
      const list = `[${rows.join(',')}]`;
      rows = [];
      await sql`insert into ${sql.table(table)}
        select * from jsonb_populate_recordset(null::${sql.table(table)}, ${list}::jsonb)`.execute(trx);
    };
    for await (const line of createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.startsWith('"')) {
        await insert();
        table = JSON.parse(line);
        if (table === null || !tables.includes(table))
          throw new Error(`the dump has a table ${line}, which is unknown`);
      } else if (line !== '') {
        rows.push(line);
        if (rows.length >= ROWS_AT_ONCE) await insert();
      }
    }
    await finished(unpacked);
    await insert();
    for (const { table: owner, name, definition } of keys) {
      await sql`alter table ${sql.table(owner)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(
        trx,
      );
    }
    await setTriggers(trx, tables, 'enable');
    await restartSequences(trx);
  });
}

/** Returns the names of the product's tables. */
export async function listTables(executor: Executor): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = ${SCHEMA} and table_type = 'BASE TABLE' order by table_name`.execute(executor);
  return rows.map(({ name }) => name);
}

/** Tables are ordered by name, so a row may be inserted before the row it references. */
async function dropForeignKeys(trx: Trx): Promise<{ table: string; name: string; definition: string }[]> {
  const { rows } = await sql<{ table: string; name: string; definition: string }>`
    select class.relname as table, constraints.conname as name, pg_get_constraintdef(constraints.oid) as definition
    from pg_constraint as constraints
    join pg_class as class on class.oid = constraints.conrelid
    join pg_namespace as space on space.oid = class.relnamespace
    where constraints.contype = 'f' and space.nspname = ${SCHEMA}
    order by 1, 2`.execute(trx);
  for (const { table, name } of rows) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(trx);
  }
  return rows;
}

async function setTriggers(trx: Trx, tables: readonly string[], state: 'enable' | 'disable'): Promise<void> {
  for (const table of tables) {
    await sql`alter table ${sql.table(table)} ${sql.raw(state)} trigger user`.execute(trx);
  }
}

/** The inserted rows have explicit ids: the next generated one must come after them. */
async function restartSequences(trx: Trx): Promise<void> {
  const { rows } = await sql<{ table: string; column: string; sequence: string }>`
    select table_name as table, column_name as column,
      pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence
    from information_schema.columns
    where table_schema = ${SCHEMA} and pg_get_serial_sequence(quote_ident(table_name), column_name) is not null`.execute(
    trx,
  );
  for (const { table, column, sequence } of rows) {
    await sql`select setval(${sequence}, coalesce((select max(${sql.ref(column)}) from ${sql.table(table)}), 0) + 1, false)`.execute(
      trx,
    );
  }
}
