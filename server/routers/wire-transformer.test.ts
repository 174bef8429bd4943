import superjson from 'superjson';
import { describe, expect, it } from 'vitest';
import { wireTransformer } from './wire-transformer.ts';

const { serialize } = wireTransformer.output;

/** What a client reads after the network. */
const received = (value: unknown) => superjson.deserialize(JSON.parse(JSON.stringify(serialize(value))));

describe('what goes over the wire', () => {
  it('is what superjson writes', () => {
    const values = [
      null,
      'text',
      0,
      { a: [1, { b: null, c: true }], d: {} },
      undefined,
      { a: undefined },
      new Date(0),
      { at: new Date(0), list: [new Set([1]), new Map([['a', 1n]])] },
      [Number.NaN, Number.POSITIVE_INFINITY, -0, 1n],
      /a/g,
      [[], [undefined]],
    ];
    for (const value of values) {
      expect(JSON.parse(JSON.stringify(serialize(value)))).toEqual(
        JSON.parse(JSON.stringify(superjson.serialize(value))),
      );
      expect(received(value)).toEqual(value);
    }
  });

  it('is the same to a client where one object stands in two places', () => {
    const one = { a: 1 };
    expect(received([one, one])).toEqual([one, one]);
  });
});
