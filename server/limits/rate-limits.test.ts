import { describe, expect, it, vi } from 'vitest';
import { EventWindows, WINDOW_KEYS_MAX } from './event-windows.ts';
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

  it('never say that a window ends later than it is long', async () => {
    // This number plus 60,000, minus itself, is more than 60,000.
    const limits = createRateLimits({ sign_in_account: { points: 2, seconds: 60 } }, () => 5897.104261413268);
    expect(await limits.consume('sign_in_account', 'a')).toMatchObject({ resetSeconds: 60 });
  });

  it('count every key and every limit separately', async () => {
    const limits = createRateLimits({ sign_in_account: { points: 1, seconds: 60 } });
    await limits.consume('sign_in_account', 'a');
    await limits.consume('sign_in_account', 'b');
    await limits.consume('registration_address', 'a');
    await expect(limits.consume('sign_in_account', 'a')).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('can be checked without counting, and can forget a key', async () => {
    const limits = createRateLimits({ sign_in_account: { points: 1, seconds: 60 } });
    await limits.check('sign_in_account', 'a');
    await limits.consume('sign_in_account', 'a');
    await expect(limits.check('sign_in_account', 'a')).rejects.toMatchObject({ code: 'too_many_requests' });
    await limits.forget('sign_in_account', 'a');
    await limits.check('sign_in_account', 'a');
  });
});

describe('a flood of keys', () => {
  const refused = { code: 'too_many_requests' };

  it('does not make the memory grow beyond its limit, whether they reach their limit or not', () => {
    const windows = new EventWindows({ points: 3, seconds: 300 });
    for (let n = 0; n < 5 * WINDOW_KEYS_MAX; n += 1) windows.count(`${n}`, n % 2 === 0 ? 1 : 3, n / 1000);
    expect(windows.size).toBe(2 * WINDOW_KEYS_MAX);
  });

  it('starts no timer', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const limits = createRateLimits();
    for (let n = 0; n < 10; n += 1) await limits.consume('sign_in_address', String(n));
    expect(timers).not.toHaveBeenCalled();
    timers.mockRestore();
  });

  it('neither frees a refused key nor refuses an innocent one', async () => {
    const limits = createRateLimits({ sign_in_account: { points: 3, seconds: 900 } });
    for (let n = 0; n < 3; n += 1) await limits.consume('sign_in_account', 'guesser');
    for (let n = 0; n < 2 * WINDOW_KEYS_MAX; n += 1) await limits.consume('sign_in_account', `${n}`);
    await expect(limits.consume('sign_in_account', 'guesser')).rejects.toMatchObject(refused);
    await limits.check('sign_in_account', 'somebody');
    await limits.consume('sign_in_account', 'somebody');
  });

  it('of one limit takes no room from another', async () => {
    const limits = createRateLimits({ sign_in_account: { points: 2, seconds: 900 } });
    await limits.consume('sign_in_account', 'a');
    for (let n = 0; n < WINDOW_KEYS_MAX; n += 1) await limits.consume('registration_address', `${n}`);
    await limits.consume('sign_in_account', 'a');
    await expect(limits.consume('sign_in_account', 'a')).rejects.toMatchObject(refused);
  });
});

describe('a window', () => {
  it('ends after its length, whether it was full or not', async () => {
    let now = 0;
    const limits = createRateLimits({ sign_in_account: { points: 2, seconds: 60 } }, () => now);
    for (const events of [1, 3]) {
      await limits.consume('sign_in_account', 'a', events).catch(() => null);
      now += 59_999;
      const third = limits.consume('sign_in_account', 'a', 2);
      await expect(third).rejects.toMatchObject({ params: { seconds: 1 } });
      now += 1;
      await limits.consume('sign_in_account', 'a');
      await limits.forget('sign_in_account', 'a');
    }
  });
});

describe('windows that have ended', () => {
  it('are forgotten', () => {
    const windows = new EventWindows({ points: 2, seconds: 60 });
    for (let n = 0; n < 100; n += 1) windows.count(String(n), n % 2 === 0 ? 1 : 2, n);
    windows.prune(60_049);
    expect(windows.size).toBe(50);
    windows.prune(60_099);
    expect(windows.size).toBe(0);
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
    // As some proxies write it: the port differs for every connection.
    ['203.0.113.9:41312', '203.0.113.9'],
    ['[2001:db8:0:7::1]:41312', '2001:db8:0:7::/64'],
    ['[2001:db8:0:7::1]', '2001:db8:0:7::/64'],
    ['', ''],
  ])('%s as %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});
