import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import SqliteDatabase from 'better-sqlite3';

/**
 * The least that a durable PUT can be on this stack, in a separate process: `node bare-put-server.ts PORT FILE`.
 * It stores what it receives in one row and syncs it, without signatures, hashes, buckets, limits or metrics.
 * Prints `ready` when it listens.
 */
const [port = '', file = ''] = process.argv.slice(2);

const database = new SqliteDatabase(file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('create table objects (key text primary key, content blob)');
const put = database.prepare('insert or replace into objects values (?, ?)');

createServer(async (request, response) => {
  put.run(request.url, await buffer(request));
  response.end();
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
