import { expect, it } from 'vitest';
import { HeldMemory, MemoryShares } from './memory-shares.ts';

it('each holder of memory gets as much as it leaves to others', () => {
  const shares = new MemoryShares(1_200);
  const takeAll = (holder: string) => {
    let taken = 0;
    while (shares.take(holder, 1)) taken += 1;
    return taken;
  };
  expect(takeAll('one')).toBe(600);
  expect(takeAll('two')).toBe(300);
  expect(takeAll('three')).toBe(150);
  shares.give('one', 600);
  // Of the 750 bytes that are left, as many again as it holds.
  expect(takeAll('three')).toBe(300);
});

it('what a request holds is refused beyond that, and given back once', () => {
  const shares = new MemoryShares(100);
  const [request, other] = [new HeldMemory(shares), new HeldMemory(shares)];
  request.hold('one', 40);
  request.hold('two', 10);
  expect(() => other.hold('one', 20)).toThrow('Please reduce your request rate.');
  expect(other.isEmpty).toBe(true);
  request.release();
  request.release();
  expect(request.isEmpty).toBe(true);
  other.hold('one', 100);
  expect(shares.take('two', 1)).toBe(false);
});
