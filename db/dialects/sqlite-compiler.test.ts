import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Db, openDatabase } from '#db/client.ts';

let db: Db;
beforeEach(() => {
  db = openDatabase('sqlite::memory:');
});
afterEach(() => db.destroy());

it('no value in a statement makes SQLite plan the statement again', () => {
  const { sql: text } = db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select('users.login')
    .where('sessions.id', '=', 'a')
    .where('sessions.expires_at', 'in', [1, 2])
    .where(sql<boolean>`users.email like ${'%@example.ca'}`)
    .limit(5)
    .compile();
  expect(text.match(/\?/g)).toHaveLength(5);
  expect(text).not.toMatch(/[^+]\?/);
});

it('values are stored and compared with the columns’ types', async () => {
  await sql`create table notes (number bigint, text text)`.execute(db);
  await sql`insert into notes values (${'7'}, ${'7'}), (${7.5}, ${null})`.execute(db);
  for (const value of [7, '7', 7n]) {
    const { rows } = await sql`select number, text from notes where number = ${value}`.execute(db);
    expect(rows, typeof value).toEqual([{ number: 7, text: '7' }]);
  }
  const { rows } = await sql`select text from notes where number > ${'7'} limit ${1}`.execute(db);
  expect(rows).toEqual([{ text: null }]);
});
