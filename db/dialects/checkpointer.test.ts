import { copyFile } from 'node:fs/promises';
import SqliteDatabase from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteFile } from '#tests/support/app/sqlite-file.ts';
import { Checkpointer } from './checkpointer.ts';

/** More than the commits between two checkpoints. */
const COMMITS = 100;

function startedCheckpointer(path: string): Checkpointer {
  const checkpointer = new Checkpointer(path);
  for (let commit = 0; commit < COMMITS; commit += 1) checkpointer.noteCommit();
  return checkpointer;
}

it('closing waits for a thread that is being started, and for its checkpoint', async () => {
  const { path } = await openSqliteFile();
  const writing = new SqliteDatabase(path);
  onTestFinished(() => void writing.close());
  writing.pragma('journal_mode = WAL');
  writing.exec('create table copied as select 1 as one');
  await startedCheckpointer(path).close();
  // The database without its log.
  await copyFile(path, `${path}-alone`);
  const alone = new SqliteDatabase(`${path}-alone`);
  onTestFinished(() => void alone.close());
  expect(alone.prepare('select one from copied').all()).toEqual([{ one: 1 }]);
});

it('closing works after a thread that could not open the database', async () => {
  await expect(startedCheckpointer('/nowhere/portage.db').close()).resolves.toBeUndefined();
});
