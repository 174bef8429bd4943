import { describe, expect, it } from 'vitest';
import { endpointStatus, isSettling, type StatusFacts } from './endpoint-status.ts';

const NOW = Date.parse('2026-11-21T08:00:00.000Z');
const BEFORE = '2026-11-20T08:00:00.000Z';
const AFTER = '2027-02-19T08:00:00.000Z';
type Facts = NonNullable<StatusFacts['bundle']>;

/** An endpoint for which everything is in order, except the given facts. */
function endpoint(bundle: Partial<Facts> = {}, proven_at: string | null = BEFORE): StatusFacts {
  const found = { dns_validated: true, dns_challenge_validated: true };
  const fine = { ...found, issued_at: BEFORE, valid_until: AFTER, problem: null, step: null };
  return { proven_at, bundle: { ...fine, ...bundle } };
}

const problem = (code: NonNullable<Facts['problem']>['code']): Facts['problem'] => ({
  code,
  detail: null,
  at: BEFORE,
});
const statusOf = (facts: StatusFacts) => endpointStatus(facts, false, NOW);

describe('the status of an endpoint', () => {
  it('is live once proven and reached, with a certificate or before it', () => {
    expect(statusOf(endpoint())).toBe('live');
    expect(statusOf(endpoint({ issued_at: null, valid_until: null }))).toBe('live');
    expect(statusOf({ proven_at: BEFORE, bundle: null })).toBe('live');
  });

  it('waits for DNS until it is proven, whatever else is known', () => {
    expect(statusOf(endpoint({}, null))).toBe('waiting');
    expect(statusOf({ proven_at: null, bundle: null })).toBe('waiting');
    expect(statusOf(endpoint({ problem: problem('caa_forbids') }, null))).toBe('waiting');
  });

  it('is waiting while neither traffic nor certificate has arrived, even when the challenge record is missing', () => {
    const nothing = { dns_validated: false, issued_at: null, valid_until: null };
    expect(statusOf(endpoint(nothing))).toBe('waiting');
    expect(statusOf(endpoint({ ...nothing, problem: problem('challenge_missing') }))).toBe('waiting');
  });

  it('is ready when the certificate arrived before the traffic', () => {
    expect(statusOf(endpoint({ dns_validated: false }))).toBe('ready');
  });

  it('fails when issuing or renewing does, and when a renewal would', () => {
    expect(statusOf(endpoint({ issued_at: null, problem: problem('caa_forbids') }))).toBe('failing');
    expect(statusOf(endpoint({ problem: problem('challenge_missing') }))).toBe('failing');
    expect(statusOf(endpoint({ dns_challenge_validated: false }))).toBe('failing');
  });

  it('has expired exactly when the certificate is no longer valid', () => {
    const valid_until = new Date(NOW).toISOString();
    expect(statusOf(endpoint({ valid_until }))).toBe('expired');
    expect(statusOf(endpoint({ valid_until: new Date(NOW + 1).toISOString() }))).toBe('live');
  });

  it('is suspended with its organization before anything else', () => {
    expect(endpointStatus(endpoint({}, null), true, NOW)).toBe('suspended');
  });
});

describe('whether an endpoint changes soon on its own', () => {
  it('does while proof, traffic, a certificate or the end of an issuance is awaited', () => {
    expect(isSettling(endpoint({}, null))).toBe(true);
    expect(isSettling(endpoint({ dns_validated: false }))).toBe(true);
    expect(isSettling(endpoint({ issued_at: null }))).toBe(true);
    expect(isSettling(endpoint({ step: 'order' }))).toBe(true);
  });

  it('does not once all is in order, nor without a certificate to wait for', () => {
    expect(isSettling(endpoint())).toBe(false);
    expect(isSettling({ proven_at: BEFORE, bundle: null })).toBe(false);
  });
});
