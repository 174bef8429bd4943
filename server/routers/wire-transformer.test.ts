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

  it('is the same to a client when one object occurs twice', () => {
    const one = { a: 1 };
    expect(received([one, one])).toEqual([one, one]);
  });
});

describe('what clients send', () => {
  const { deserialize } = wireTransformer.input;
  const sent = (value: unknown): unknown =>
    deserialize(JSON.parse(JSON.stringify(superjson.serialize(value))));

  it('arrives as intended, undefined included', () => {
    const one = { a: 1 };
    const values = [
      undefined,
      { a: undefined },
      { 'a.b\\c': { d: [1, undefined, { e: undefined }] } },
      [one, one, undefined],
      { text: 'x', none: null, list: [1, 2] },
    ];
    for (const value of values) expect(sent(value)).toStrictEqual(value);
  });

  it.each([
    [
      'an array of a billion numbers',
      { json: { a: 1e9 }, meta: { values: { a: [['typed-array', 'Float64Array']] } } },
    ],
    ['a number of any length', { json: { a: '9'.repeat(10) }, meta: { values: { a: ['bigint'] } } }],
    ['a regular expression', { json: { a: '/(a+)+$/' }, meta: { values: { a: ['regexp'] } } }],
    ['a map', { json: { a: [] }, meta: { values: { a: ['map'] } } }],
    ['a path to what is not there', { json: {}, meta: { values: { 'constructor.name': ['undefined'] } } }],
    ['annotations that are none', { json: {}, meta: { values: 'undefined' } }],
  ])('is refused when it requests %s', (_, payload) => {
    expect(() => deserialize(payload)).toThrow('send JSON values');
  });

  it('is refused when its annotations are longer than any form needs, before a path of them is read', () => {
    const values = { ['a.'.repeat(10_000)]: ['undefined'] };
    expect(() => deserialize({ json: {}, meta: { values } })).toThrow('the annotations are too long');
    const fields = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`field_${index}`, undefined]),
    );
    expect(sent(fields)).toStrictEqual(fields);
  });
});
