import { expect, test } from 'vitest';
import { MemoryBudget, type Resident } from './memory-budget.ts';

function resident(bytes: number, evicted: string[], name: string): Resident {
  return { bytes, wasUsed: false, evict: () => evicted.push(name) };
}

test('the limit holds after every addition, and the oldest is evicted first', () => {
  const budget = new MemoryBudget(100);
  const evicted: string[] = [];
  for (let at = 0; at < 50; at += 1) {
    budget.add(resident(30, evicted, `r${at}`));
    expect(budget.bytesUsed).toBeLessThanOrEqual(100);
  }
  expect(evicted).toHaveLength(47);
  expect(evicted.slice(0, 3)).toEqual(['r0', 'r1', 'r2']);
});

test('what fits exactly evicts nothing', () => {
  const budget = new MemoryBudget(100);
  const evicted: string[] = [];
  budget.add(resident(60, evicted, 'first'));
  budget.add(resident(40, evicted, 'second'));
  expect(evicted).toEqual([]);
  expect(budget.bytesUsed).toBe(100);
});

test('what was used since the last round is spared once', () => {
  const budget = new MemoryBudget(100);
  const evicted: string[] = [];
  const used = resident(40, evicted, 'used');
  budget.add(used);
  budget.add(resident(40, evicted, 'unused'));
  used.wasUsed = true;
  budget.add(resident(40, evicted, 'new'));
  expect(evicted).toEqual(['unused']);
  budget.add(resident(40, evicted, 'newer'));
  budget.add(resident(40, evicted, 'newest'));
  expect(evicted).toContain('used');
});

test('what exceeds the limit is evicted immediately, and what was removed is never evicted', () => {
  const budget = new MemoryBudget(100);
  const evicted: string[] = [];
  const removed = resident(60, evicted, 'removed');
  budget.add(removed);
  budget.remove(removed);
  budget.remove(removed);
  expect(budget.bytesUsed).toBe(0);
  budget.add(resident(101, evicted, 'huge'));
  expect(evicted).toEqual(['huge']);
  expect(budget.bytesUsed).toBe(0);
});
