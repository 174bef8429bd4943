import { expect, it } from 'vitest';
import { waitForDatabase } from './wait-for-database.ts';

/** A database that fails with one error after the other, and then answers. */
function databaseAfter(...failures: Error[]) {
  const said: string[] = [];
  const say = (...line: unknown[]) => void said.push(String(line.at(-1)));
  const ask = async () => {
    const failure = failures.shift();
    if (failure) throw failure;
  };
  return { said, start: () => waitForDatabase(ask, { info: say, warn: say }) };
}

const refused = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

it('a start during an outage of the database waits for its end, and says so once', async () => {
  const { said, start } = databaseAfter(refused(), refused());
  await start();
  expect(said).toEqual([
    'the database does not answer: the start waits for it',
    'the database answers: the start continues',
  ]);
});

it('a start that can do without the database does not wait for it', async () => {
  const said: string[] = [];
  const say = (...line: unknown[]) => void said.push(String(line.at(-1)));
  const ask = () => Promise.reject(refused());
  const isThere = await waitForDatabase(ask, { info: say, warn: say }, { canDoWithout: true });
  expect(isThere).toBe(false);
  expect(said).toEqual(['the database does not answer: the start continues with what is kept']);
});

it('a start says nothing about a database that answers, and fails when it has no table', async () => {
  const { said, start } = databaseAfter();
  await start();
  expect(said).toEqual([]);
  const missing = Object.assign(new Error('relation "organizations" does not exist'), { code: '42P01' });
  await expect(databaseAfter(missing).start()).rejects.toBe(missing);
});
