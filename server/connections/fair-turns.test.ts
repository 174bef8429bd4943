import { expect, test } from 'vitest';
import { FairTurns } from './fair-turns.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Queues streams; `served` contains the visitors served so far. */
function prepare() {
  const turns = new FairTurns(32);
  const served: string[] = [];
  const open = (visitor: string, count: number, isTakenBack = () => false) => {
    for (let at = 0; at < count; at += 1) {
      turns.take(visitor, () => {
        if (isTakenBack()) return false;
        served.push(visitor);
        return true;
      });
    }
  };
  return { open, served };
}

test('a turn of the event loop serves a few new streams at most, and the next ones serve the rest', async () => {
  const { open, served } = prepare();
  open('a', 2_000);
  let before = 0;
  let turns = 0;
  while (served.length < 2_000) {
    expect(served.length - before).toBeLessThanOrEqual(50);
    before = served.length;
    turns += 1;
    await nextTurn();
    expect(served.length).toBeGreaterThan(before);
  }
  expect(turns).toBeGreaterThan(30);
});

test('a few streams are served immediately', () => {
  const { open, served } = prepare();
  open('a', 10);
  expect(served.length).toBe(10);
});

test('streams that are reset while they wait are never served, and delay no one', async () => {
  const { open, served } = prepare();
  let isTakenBack = false;
  open('rapid', 5_000, () => isTakenBack);
  open('patient', 1);
  expect(served.length).toBeLessThanOrEqual(50);
  const atOnce = served.length;
  isTakenBack = true;
  await nextTurn();
  expect(served.slice(atOnce)).toEqual(['patient']);
});

test('a visitor with one stream does not wait for one with thousands', async () => {
  const { open, served } = prepare();
  open('many', 5_000);
  open('one', 1);
  await nextTurn();
  expect(served).toContain('one');
});

test('what costs a whole turn begins alone in it, or as the last of several that cost little', async () => {
  const turns = new FairTurns(4);
  const begun: string[] = [];
  const take = (name: string, cost: number) => {
    turns.take(
      name,
      () => {
        begun.push(name);
        return true;
      },
      cost,
    );
  };
  for (const name of ['page', 'next page']) take(name, 4);
  for (const name of ['a', 'b', 'c', 'd', 'e']) take(name, 1);
  expect(begun).toEqual(['page']);
  await nextTurn();
  expect(begun).toEqual(['page', 'next page']);
  await nextTurn();
  expect(begun.slice(2)).toEqual(['a', 'b', 'c', 'd']);
  take('last page', 4);
  await nextTurn();
  expect(begun.slice(6)).toEqual(['e', 'last page']);
});
