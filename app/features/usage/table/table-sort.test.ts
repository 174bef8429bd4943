import { describe, expect, it } from 'vitest';
import { nextSort, readSort, sortParam } from './table-sort.ts';

describe('the order of a table', () => {
  it('is read from an address, and absent or unknown values count as absent', () => {
    expect(sortParam('-requests')).toBe('-requests');
    expect(sortParam('name')).toBe('name');
    for (const value of ['-bandwidth', '--name', 'colour', '', 3, undefined]) {
      expect(sortParam(value)).toBeUndefined();
    }
  });

  it('begins with A for names and with the highest for numbers, and is reversed when chosen again', () => {
    expect(nextSort('-bandwidth', 'name')).toBe('name');
    expect(nextSort('name', 'name')).toBe('-name');
    expect(nextSort('name', 'errors')).toBe('-errors');
    expect(nextSort('-errors', 'errors')).toBe('errors');
    expect(readSort('-hit_rate')).toEqual({ column: 'hit_rate', isAscending: false });
  });
});
