import { expect, it } from 'vitest';
import { decideCors } from './decide-cors.ts';

const rule = {
  allowedOrigins: ['*'],
  allowedMethods: ['GET'],
  allowedHeaders: ['X-*'],
  exposeHeaders: [],
};
const decide = (headers: readonly string[]) =>
  decideCors([rule], { origin: 'https://example.ca', method: 'GET', headers });

it('a rule allows a hundred different headers at a time, however often they are named', () => {
  const names = Array.from({ length: 101 }, (_, at) => `x-${at}`);
  expect(decide(names.slice(1))).toMatchObject({ 'access-control-allow-origin': '*' });
  expect(decide(Array.from({ length: 1_000 }, () => 'x-a'))).not.toBeNull();
  expect(decide(names)).toBeNull();
});
