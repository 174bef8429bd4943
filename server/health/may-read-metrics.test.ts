import { expect, it } from 'vitest';
import { mayReadMetrics } from './may-read-metrics.ts';

it('metrics are for this machine, and not for requests through a proxy on it', () => {
  expect(mayReadMetrics(null, {}, '127.0.0.1')).toBe(true);
  expect(mayReadMetrics(null, {}, '::1')).toBe(true);
  expect(mayReadMetrics(null, {}, '203.0.113.9')).toBe(false);
  expect(mayReadMetrics(null, { 'x-forwarded-for': '127.0.0.1' }, '127.0.0.1')).toBe(false);
  expect(mayReadMetrics(null, { forwarded: 'for=203.0.113.9' }, '127.0.0.1')).toBe(false);
});

it('with a token they are for anyone who has it, from anywhere', () => {
  const token = 'a token of sixteen or more';
  const by = (authorization: string | undefined) => mayReadMetrics(token, { authorization }, '203.0.113.9');
  expect([by(`Bearer ${token}`), by('Bearer another'), by(undefined)]).toEqual([true, false, false]);
  expect(mayReadMetrics(token, {}, '127.0.0.1')).toBe(false);
});
