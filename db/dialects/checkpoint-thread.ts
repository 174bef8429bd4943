import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';

const path: unknown = workerData;
if (typeof path !== 'string') throw new TypeError('the path of a database is needed');

// Each message asks for a checkpoint: everything that no reader needs any more is copied from the log into the database. It
// delays neither readers nor writers, and what it could not copy, the next one does.
const database = new SqliteDatabase(path, { fileMustExist: true });
database.pragma('synchronous = FULL');
parentPort?.on('message', () => {
  database.pragma('wal_checkpoint(PASSIVE)');
  parentPort?.postMessage('done');
});
