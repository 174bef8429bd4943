import { describe, expect, it } from 'vitest';
import { isStoppedBy, limitState, limitsToTell } from './limit-state.ts';

const limit = (spent_cents: number, is_stopped = false) => ({ amount_cents: 1000, spent_cents, is_stopped });

describe('the state of a spending limit', () => {
  it('follows the alerts, to the cent', () => {
    const states = [0, 499, 500, 899, 900, 999, 1000, 5000].map((spent) => limitState(limit(spent)));
    expect(states).toEqual(['fine', 'fine', 'underway', 'underway', 'near', 'near', 'reached', 'reached']);
    expect(limitState(limit(1000, true))).toBe('stopped');
    expect(limitState({ amount_cents: 0, spent_cents: 0, is_stopped: false })).toBe('reached');
  });

  it('is shown everywhere from nine tenths on, the worst first', () => {
    const [fine, near, reached, stopped] = [limit(500), limit(950), limit(1000), limit(1000, true)];
    expect(limitsToTell([fine, near, reached, stopped])).toEqual([stopped, reached, near]);
  });
});

describe('what a limit has stopped', () => {
  it('is the limited resource, or everything when it is the organization', () => {
    const site = { scope: 'site' as const, resource_id: 'blog', is_stopped: true };
    expect(isStoppedBy([site], ['blog'])).toBe(true);
    expect(isStoppedBy([site], ['endpoint', 'blog'])).toBe(true);
    expect(isStoppedBy([site], ['shop', null])).toBe(false);
    expect(isStoppedBy([{ ...site, is_stopped: false }], ['blog'])).toBe(false);
    const whole = { scope: 'organization' as const, resource_id: null, is_stopped: true };
    expect(isStoppedBy([whole], ['shop'])).toBe(true);
  });
});
