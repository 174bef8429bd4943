import { describe, expect, it } from 'vitest';
import type { DnsFact, DnsReport } from '#server/services/certificates/schema.ts';
import { isSafeToSwitch } from './is-safe-to-switch.ts';

const BEFORE = '2026-11-21T08:00:00.000Z';
const ISSUED = '2026-11-21T08:00:02.000Z';
const AFTER = '2026-11-21T08:00:10.000Z';

function report(status: DnsFact['status'], checked_at: string, is_safe_to_switch = false): DnsReport {
  const traffic = { fact: 'traffic', status, name: 'www.example.ca', type: 'CNAME' } as const;
  return {
    checked_at,
    hostname: 'www.example.ca',
    is_apex: false,
    is_reached: status === 'ok',
    is_delegated: true,
    is_proven: true,
    can_issue: true,
    is_safe_to_switch,
    facts: [{ ...traffic, expected: [], found: [], problem: null }],
  };
}

const issued = (issued_at: string | null) => ({ bundle: { issued_at } });

describe('whether it is safe to switch', () => {
  it('follows the report', () => {
    expect(isSafeToSwitch(issued(ISSUED), report('wrong', AFTER, true))).toBe(true);
    expect(isSafeToSwitch(issued(ISSUED), report('wrong', AFTER, false))).toBe(false);
  });

  it('is true for a certificate newer than the report, unless traffic is here', () => {
    expect(isSafeToSwitch(issued(ISSUED), report('wrong', BEFORE))).toBe(true);
    expect(isSafeToSwitch(issued(ISSUED), report('missing', BEFORE))).toBe(true);
    expect(isSafeToSwitch(issued(ISSUED), report('ok', BEFORE))).toBe(false);
    expect(isSafeToSwitch(issued(ISSUED), report('unknown', BEFORE))).toBe(false);
  });

  it.each(['missing', 'wrong'] as const)('is not said beside a challenge record that is %s', (status) => {
    const safe = report('wrong', AFTER, true);
    const [traffic] = safe.facts;
    if (!traffic) throw new Error('there is a fact about traffic');
    const facts = [traffic, { ...traffic, fact: 'challenge' as const, status }];
    expect(isSafeToSwitch(issued(ISSUED), { ...safe, facts })).toBe(false);
  });

  it('needs a certificate', () => {
    expect(isSafeToSwitch(issued(null), report('wrong', BEFORE))).toBe(false);
    expect(isSafeToSwitch({ bundle: null }, report('wrong', BEFORE))).toBe(false);
  });
});
