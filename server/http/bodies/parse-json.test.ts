import { describe, expect, it } from 'vitest';
import { parseJson } from './parse-json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const refusal = (reason: string) =>
  expect.objectContaining({ code: 'invalid_input', params: expect.objectContaining({ reason }) });

describe('a JSON body', () => {
  it('is parsed as it was sent', () => {
    const text = '{"a":"\\"b\\": {","list":[{"a":1},{"a":2}],"inner":{"a":{"a":null}},"é":"🦄","1":[],"":0}';
    expect(parse(text)).toEqual(JSON.parse(text));
    expect(parse('"text"')).toBe('text');
  });

  it.each([
    ['{"name":"blog","name":"shop"}', 'name'],
    ['{"name":"blog","\\u006eame":"shop"}', 'name'],
    ['{"scopes":[{"id":1},{"id":1,"kind":"a:{","id" : 2}]}', 'id'],
    ['{"1":1,"2":{"1":1},"1":1}', '1'],
    ['{"json":{"a":{"b":1},"a":{"b":2}}}', 'a'],
  ])('with a name twice in one object, of which only one would count, is refused: %s', (text, name) => {
    expect(() => parse(text)).toThrow(refusal(`${name}: appears twice`));
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ fields: [{ path: name, message: 'appears twice' }] }),
    );
  });

  it('that is not UTF-8 is refused: other characters would be stored', () => {
    for (const bytes of [[0xe9], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const body = Buffer.from([0x22, ...bytes, 0x22]);
      expect(() => parseJson(body)).toThrow(refusal('the body is not UTF-8'));
    }
    expect(() => parseJson(Buffer.from('"a"', 'utf16le'))).toThrow(refusal('the body is not JSON'));
  });

  it('with the name of a prototype is refused, however it is written', () => {
    for (const text of ['{"__proto__":{}}', '{"a":[{"\\u005f_proto\\u005f_":1}]}']) {
      expect(() => parse(text)).toThrow(refusal('a name __proto__ is not allowed'));
    }
  });
});
