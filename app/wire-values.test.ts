import superjson from 'superjson';
import { expect, it } from 'vitest';
import { transformer } from './wire-values.ts';

it('reads what superjson writes of JSON and undefined', () => {
  for (const value of [null, 'text', { a: undefined, 'b.c': [1, { d: undefined }] }, undefined, [{ e: 1 }]]) {
    const sent = JSON.parse(JSON.stringify(superjson.serialize(value)));
    expect(transformer.output.deserialize(sent)).toStrictEqual(value);
  }
});

it('refuses what our procedures never return, rather than showing it wrongly', () => {
  const sent = JSON.parse(JSON.stringify(superjson.serialize({ at: new Date(0) })));
  expect(() => transformer.output.deserialize(sent)).toThrow(TypeError);
});

it('writes inputs that superjson reads', () => {
  const sent = JSON.parse(JSON.stringify(transformer.input.serialize({ name: 'a', limit: undefined })));
  expect(superjson.deserialize(sent)).toEqual({ name: 'a' });
});
