import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { initTRPC } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import SqliteDatabase from 'better-sqlite3';
import { toNodeHandler } from 'srvx/node';

/**
 * tRPC itself in a separate process: `node bare-trpc-server.ts PORT FILE`. Its procedures are named like the
 * console's, and each is one prepared lookup without sessions, permissions, limits, schemas or metrics. The
 * fetch adapter on srvx serves about twice as many requests as tRPC's own standalone server. Prints `ready`
 * when it listens.
 */
const [port = '', file = ''] = process.argv.slice(2);

const database = new SqliteDatabase(file);
database.pragma('journal_mode = WAL');
database.exec(`
  create table users (id text primary key, login text, full_name text, email text, avatar_url text, language_preference text);
  insert into users values ('01hzzzzzzzzzzzzzzzzzzzzzzz', 'bench', 'Bench Person', 'bench@example.ca', null, 'en-CA')`);
const findUser = database.prepare('select * from users where id = ?');

const t = initTRPC.create();
const router = t.router({
  user: { me: t.procedure.query(() => findUser.get('01hzzzzzzzzzzzzzzzzzzzzzzz')) },
});
const handle = toNodeHandler((req) => fetchRequestHandler({ endpoint: '/api/trpc', req, router }));
// srvx types its handler for HTTP/1.1 and HTTP/2 at once; this listener speaks HTTP/1.1.
const handleHttp = handle as (request: IncomingMessage, response: ServerResponse) => unknown;
createServer((request, response) => void handleHttp(request, response)).listen(
  Number(port),
  '127.0.0.1',
  () => process.stdout.write('ready\n'),
);
