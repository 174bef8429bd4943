import { expect, it } from 'vitest';
import { OPERATIONS } from './operation-table.ts';

it('what a credential that only reads may do is called a read', () => {
  const reads = Object.entries(OPERATIONS).filter(([, { permission }]) => permission === 'read');
  // Locks of objects and what is not supported are refused, whoever asks.
  const others = reads.map(([name]) => name).filter((name) => !/^(Get|Head|List)[A-Z]/.test(name));
  expect(others).toEqual(['UnsupportedOperation', 'UseObjectLock']);
});
