import { describe, expect, it } from 'vitest';
import { choiceParam, flagParam, idParam, readSearch, textParam } from './search-params.ts';

describe('search parameters', () => {
  const read = readSearch({ create: flagParam, register: choiceParam, search: textParam });

  it('are read by name and form', () => {
    expect(read({ create: true, register: false, search: 'blog' })).toEqual({
      create: true,
      register: false,
      search: 'blog',
    });
  });
  it('count as absent when they have another form, by name, so that the router drops what the address says', () => {
    const absent = { create: undefined, register: undefined, search: undefined };
    expect(read({ create: 'yes', register: 'no', search: { $ne: 1 } })).toStrictEqual(absent);
  });
  it('keep a number typed into a search as text', () => {
    expect(read({ search: 42 })).toEqual({ search: '42' });
  });
  it('are an id only in the form of ours', () => {
    expect([idParam('01jzzzzz-a_b'), idParam(42)]).toEqual(['01jzzzzz-a_b', '42']);
    for (const other of ['', 'a b', 'a/b', 'x'.repeat(65), true, undefined]) {
      expect([other, idParam(other)]).toEqual([other, undefined]);
    }
  });
  it('drop what the route does not know', () => {
    expect(read({ evil: '<script>' })).toEqual({});
  });
});
