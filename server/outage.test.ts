import { expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { AppError, toAppError } from './errors.ts';
import { isOutage } from './outage.ts';

const coded = (code: string, message = code) => Object.assign(new Error(message), { code });

it('a database that does not respond is an outage: 503 and when to retry', async () => {
  const db = openDatabase('postgres://nobody@127.0.0.1:1/none');
  const failure: unknown = await db
    .selectFrom('users')
    .selectAll()
    .execute()
    .catch((error: unknown) => error);
  await db.destroy();
  expect(toAppError(failure)).toMatchObject({
    code: 'service_unavailable',
    status: 503,
    params: { seconds: 5 },
  });
});

it.each([
  ['a server that shuts down', coded('57P01', 'terminating connection due to administrator command')],
  ['a server whose password is being replaced', coded('28P01', 'password authentication failed')],
  ['a database that is being restored', coded('3D000', 'database "portage" does not exist')],
  ['a connection that broke in the middle', new Error('Connection terminated unexpectedly')],
  ['a transaction that another one made fail', coded('40P01', 'deadlock detected')],
  ['a lock that somebody holds', coded('55P03', 'canceling statement due to lock timeout')],
  ['a locked file', coded('SQLITE_BUSY_SNAPSHOT')],
  ['a file that cannot be opened', coded('SQLITE_CANTOPEN')],
  ['a disk that fails', coded('SQLITE_IOERR_WRITE')],
  ['no descriptor left', coded('EMFILE')],
  ['a store’s folder of another user', coded('EACCES', 'permission denied, open')],
  ['an object store that refuses', Object.assign(new Error('x'), { $metadata: { httpStatusCode: 503 } })],
  ['one whose key is being replaced', Object.assign(new Error('x'), { $metadata: { httpStatusCode: 403 } })],
  ['an object store that is silent', Object.assign(new Error('x'), { name: 'TimeoutError' })],
  ['any of these below something else', new Error('fetch failed', { cause: coded('ECONNREFUSED') })],
  [
    'a service that is left alone for a while',
    new Error('something went wrong', { cause: new AppError('service_unavailable', { seconds: 5 }) }),
  ],
  ['several addresses of which none answers', new AggregateError([coded('ECONNREFUSED')])],
])('%s is an outage', (_, error) => {
  expect(toAppError(error).code).toBe('service_unavailable');
  expect(isOutage(error)).toBe(true);
  expect(isOutage(toAppError(error))).toBe(true);
});

it.each([
  ['a defect', new TypeError('x is undefined'), 'internal'],
  ['a broken rule of the database', coded('23505'), 'internal'],
  [
    'a store that knows no such object',
    Object.assign(new Error('x'), { $metadata: { httpStatusCode: 404 } }),
    'internal',
  ],
  ['a full database file', coded('SQLITE_FULL'), 'storage_full'],
  ['a full disk', coded('ENOSPC'), 'storage_full'],
])('%s is not an outage', (_, error, code) => {
  expect(toAppError(error).code).toBe(code);
});
