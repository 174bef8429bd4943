import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rowsOf } from './row-rules.ts';

const row = z.object({ id: z.string().nullable(), count: z.number() });
const response = z.object({ rows: rowsOf(row) });

describe('a list of many rows', () => {
  it('is handed on as it is where every row has the declared columns', () => {
    const rows = [
      { id: 'a', count: 1 },
      { count: 2.5, id: null },
    ];
    expect(response.parse({ rows, other: 1 })).toEqual({ rows });
    expect(response.parse({ rows }).rows).toBe(rows);
  });

  it('never shows a column that is not declared', () => {
    expect(response.parse({ rows: [{ id: 'a', count: 1, secret: 's' }] })).toEqual({
      rows: [{ id: 'a', count: 1 }],
    });
    const inherited = Object.assign(Object.create({ secret: 's' }), { id: 'a', count: 1 });
    expect(JSON.stringify(response.parse({ rows: [inherited] }))).toBe('{"rows":[{"id":"a","count":1}]}');
  });

  it.each([
    ['a text for a number', { id: 'a', count: '1' }],
    ['no number', { id: 'a', count: Number.NaN }],
    ['an endless number', { id: 'a', count: Number.POSITIVE_INFINITY }],
    ['a column too few', { id: 'a' }],
    ['another column instead', { id: 'a', counts: 1 }],
    ['null where there is none', { id: 'a', count: null }],
    ['no row at all', null],
    ['a list', ['a', 1]],
  ])('refuses %s, as zod does', (_, wrong) => {
    const rows = [{ id: 'a', count: 1 }, wrong];
    const { error } = response.safeParse({ rows });
    expect(error?.issues).toEqual(z.object({ rows: z.array(row) }).safeParse({ rows }).error?.issues);
    expect(error?.issues).not.toEqual([]);
  });

  it('is refused where it is none', () => {
    expect(response.safeParse({ rows: { length: 0 } }).success).toBe(false);
    expect(response.parse({ rows: [] })).toEqual({ rows: [] });
  });

  it('is described like any other list', () => {
    expect(z.toJSONSchema(rowsOf(row))).toEqual(z.toJSONSchema(z.array(row)));
  });

  it('cannot be declared of columns that need more than a look at their type', () => {
    expect(() => rowsOf(z.object({ id: z.string().max(3) }))).toThrow('id is no plain string');
    expect(() => rowsOf(z.object({ at: z.date() }))).toThrow('at is no plain string');
    expect(() => rowsOf(z.object({ id: z.string().optional() }))).toThrow('id is no plain string');
  });
});
