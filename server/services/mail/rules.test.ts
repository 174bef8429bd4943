import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '#server/durations.ts';
import { describeDelivery, judgeDelivery, retryDelayMs } from './rules.ts';

describe('a failed attempt', () => {
  it.each([
    ['refused', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 }],
    ['refused', { code: 'EMESSAGE', command: 'DATA', responseCode: 554 }],
    ['refused', { code: 'EENVELOPE', command: 'API' }],
    ['deferred', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 450 }],
    ['deferred', { code: 'EMESSAGE', command: 'DATA', responseCode: 452 }],
    ['deferred', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 503 }],
    // Our sender is refused, which an operator can fix.
    ['deferred', { code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 553 }],
    ['away', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 421 }],
    ['away', { code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }],
    ['away', { code: 'ETIMEDOUT', command: 'CONN' }],
    ['away', { code: 'EABORT' }],
    ['away', {}],
  ] as const)('means %s for %o', (verdict, error) => {
    expect(judgeDelivery(error)).toBe(verdict);
  });

  it('is described without addresses, links and secrets, in one short line', () => {
    const response = `550-5.7.1 <ada@example.ca> said\r\nhttps://x.example/t ${'A'.repeat(43)} ${'word '.repeat(99)}`;
    const told = describeDelivery({ code: 'EMESSAGE', command: 'DATA', responseCode: 550, response });
    expect(told).toMatch(/^550 DATA 5\.7\.1 … said … … word /);
    expect(told.length).toBeLessThanOrEqual(200);
  });

  it('is followed by another after one minute, doubled up to six hours, a fifth more or less', () => {
    expect([1, 2, 3, 20].map((attempts) => retryDelayMs(attempts, 0.5) / MINUTE_MS)).toEqual([1, 2, 4, 360]);
    expect([0, 1].map((random) => retryDelayMs(1, random) / MINUTE_MS)).toEqual([0.8, 1.2]);
  });
});
