import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ConnectionTurns } from './connection-turns.ts';

/** Returns turns, and work that holds a place until it is ended by name; its first letter is who asked for it. */
function prepare({ atOnce, atOncePerAsker }: { atOnce: number; atOncePerAsker: number }) {
  const turns = new ConnectionTurns({ atOnce, atOncePerAsker, waitMs: 60_000 });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = async (name: string, asker: string | null = name.charAt(0)) => {
    ends.set(name, await turns.take(asker));
    started.push(name);
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await nextTurn();
  };
  return { started, begin, end };
}

it('connections go round those who ask, however much one of them asks', async () => {
  const { started, begin, end } = prepare({ atOnce: 1, atOncePerAsker: 1 });
  const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((name) => begin(name));
  await nextTurn();
  for (let index = 0; index < all.length; index += 1) await end(started[index] ?? '');
  await Promise.all(all);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'c2']);
});

it('one who waits for locks leaves connections for others, and gets no more of them by giving one back twice', async () => {
  const { started, begin, end } = prepare({ atOnce: 4, atOncePerAsker: 2 });
  void ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => begin(name));
  await nextTurn();
  expect(started).toEqual(['a1', 'a2', 'b1']);
  await end('a1');
  await end('a1');
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('work that nobody asked for may use every connection', async () => {
  const { started, begin } = prepare({ atOnce: 3, atOncePerAsker: 1 });
  void ['1', '2', '3', '4'].map((name) => begin(name, null));
  await nextTurn();
  expect(started).toEqual(['1', '2', '3']);
});

it('who waits in vain fails like at a pool, and takes nobody else’s turn', async () => {
  const turns = new ConnectionTurns({ atOnce: 1, atOncePerAsker: 1, waitMs: 1 });
  const giveBack = await turns.take('a');
  await expect(turns.take('b')).rejects.toThrow('timeout exceeded when trying to connect');
  giveBack();
  await expect(turns.take('c')).resolves.toBeTypeOf('function');
});
