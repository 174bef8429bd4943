import { describe, expect, it } from 'vitest';
import { addressKey, createRateLimits } from './rate-limits.ts';

describe('rate limits', () => {
  it('refuse the event after the last allowed one and say when to try again', async () => {
    const limits = createRateLimits({ sign_in_account: { points: 2, seconds: 60 } });
    await limits.consume('sign_in_account', 'a');
    await limits.consume('sign_in_account', 'a');
    const refusal = limits.consume('sign_in_account', 'a');
    await expect(refusal).rejects.toMatchObject({ code: 'too_many_requests', status: 429 });
    const { params } = await refusal.catch((error) => error);
    expect(params.seconds).toBeGreaterThan(0);
    expect(params.seconds).toBeLessThanOrEqual(60);
  });

  it('count every key and every limit for itself', async () => {
    const limits = createRateLimits({ sign_in_account: { points: 1, seconds: 60 } });
    await limits.consume('sign_in_account', 'a');
    await limits.consume('sign_in_account', 'b');
    await limits.consume('registration_address', 'a');
    await expect(limits.consume('sign_in_account', 'a')).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('can be asked without counting, and forget a key', async () => {
    const limits = createRateLimits({ sign_in_account: { points: 1, seconds: 60 } });
    await limits.check('sign_in_account', 'a');
    await limits.consume('sign_in_account', 'a');
    await expect(limits.check('sign_in_account', 'a')).rejects.toMatchObject({ code: 'too_many_requests' });
    await limits.forget('sign_in_account', 'a');
    await limits.check('sign_in_account', 'a');
  });
});

describe('an address counts', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:0:7::1', '2001:db8:0:7::/64'],
    ['2001:0DB8:0000:0007:1:2:3:4', '2001:db8:0:7::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%s as %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});
