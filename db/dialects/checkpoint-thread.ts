import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';

const path: unknown = workerData;
if (typeof path !== 'string') throw new TypeError('the path of a database is needed');

// Each message requests a checkpoint: everything that no reader still needs is copied from the log into the
// database. It delays neither readers nor writers, and the next one copies what this one could not.
const database = new SqliteDatabase(path, { fileMustExist: true });
database.pragma('synchronous = FULL');
parentPort?.on('message', () => {
  database.pragma('wal_checkpoint(PASSIVE)');
  parentPort?.postMessage('done');
});
