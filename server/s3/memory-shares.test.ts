import { expect, it } from 'vitest';
import { HeldMemory, MemoryShares } from './memory-shares.ts';

it('each holder of memory gets a quarter of what is left free', () => {
  const shares = new MemoryShares(10_000);
  const takeAll = (holder: string) => {
    let taken = 0;
    while (shares.take(holder, 1)) taken += 1;
    return taken;
  };
  expect(takeAll('one')).toBe(2_000);
  expect(takeAll('two')).toBe(1_600);
  shares.give('one', 2_000);
  // A quarter of 8,400 bytes that are left, for one that holds 1,600 of them already.
  expect(takeAll('two')).toBe(400);
});

it('what a request holds is refused beyond that, and given back once', () => {
  const shares = new MemoryShares(400);
  const holderOf = (name: string) => ({ shares, name });
  const [one, two] = [holderOf('one'), holderOf('two')];
  const [request, other] = [new HeldMemory(), new HeldMemory()];
  request.hold(one, 60);
  request.hold(two, 10);
  expect(() => other.hold(holderOf('one'), 30)).toThrow('Please reduce your request rate.');
  expect(other.isEmpty).toBe(true);
  request.release();
  request.release();
  expect(request.isEmpty).toBe(true);
  other.hold(one, 100);
  expect(shares.take('one', 1)).toBe(false);
});
