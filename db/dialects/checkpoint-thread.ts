import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';

/** What the thread is asked to do; after `close` it ends. */
export type CheckpointRequest = 'checkpoint' | 'close';

const path: unknown = workerData;
if (typeof path !== 'string') throw new TypeError('the path of a database is needed');

// A checkpoint copies everything that no reader still needs from the log into the database. It delays neither readers
// nor writers, and the next one copies what this one could not.
const database = new SqliteDatabase(path, { fileMustExist: true });
database.pragma('synchronous = FULL');
parentPort?.on('message', (request: CheckpointRequest) => {
  if (request === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  database.pragma('wal_checkpoint(PASSIVE)');
  parentPort?.postMessage('done');
});
