import { expect, it } from 'vitest';
import { withoutWords } from './drop-schema-words.ts';

it('leaves schemas as they are without their words', () => {
  const code = `
const a = z.object({ b: z.string().describe('It’s (b).' + ' More.').optional() }).describe('An object.');
const c = z.custom(isC, 'a c').meta({ type: 'object', properties: { d: { describe: 1 } } });
describe('no schema');
`;
  expect(withoutWords(code)).toBe(`
const a = z.object({ b: z.string().optional() });
const c = z.custom(isC, 'a c');
describe('no schema');
`);
});
