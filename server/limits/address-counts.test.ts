import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { AddressCounts } from './address-counts.ts';

it('an address holds a limited number, and may have another when one is gone', () => {
  const counts = new AddressCounts(2);
  const [first, second] = [new EventEmitter(), new EventEmitter()];
  expect([counts.admit('192.0.2.1', first), counts.admit('::ffff:192.0.2.1', second)]).toEqual([true, true]);
  expect(counts.admit('192.0.2.1', new EventEmitter())).toBe(false);
  expect(counts.admit('192.0.2.2', new EventEmitter())).toBe(true);
  first.emit('close');
  expect(counts.admit('192.0.2.1', new EventEmitter())).toBe(true);
  expect(counts.admit('192.0.2.1', new EventEmitter())).toBe(false);
});

it('the addresses of one IPv6 customer are one', () => {
  const counts = new AddressCounts(1);
  expect(counts.admit('2001:db8:1:2::1', new EventEmitter())).toBe(true);
  expect(counts.admit('2001:db8:1:2:ffff::9', new EventEmitter())).toBe(false);
  expect(counts.admit('2001:db8:1:3::1', new EventEmitter())).toBe(true);
});
