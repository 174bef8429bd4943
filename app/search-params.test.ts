import { describe, expect, it } from 'vitest';
import { choiceParam, flagParam, readSearch, textParam } from './search-params.ts';

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
  it('drop what the route does not know', () => {
    expect(read({ evil: '<script>' })).toEqual({});
  });
});
