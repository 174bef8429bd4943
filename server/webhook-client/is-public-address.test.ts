import { expect, it } from 'vitest';
import { isPublicAddress } from './is-public-address.ts';

it.each([
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '169.254.169.254',
  '192.168.1.1',
  '100.64.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fd00::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:db8::1',
  'ff02::1',
  'localhost',
  '',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111'])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});
