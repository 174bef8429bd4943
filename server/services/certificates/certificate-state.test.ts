import { describe, expect, it } from 'vitest';
import { certificateState, isChallengeAwaited } from './rules.ts';

const bundle = { issued_at: null, dns_validated: false, dns_challenge_validated: false };

describe('the state of a certificate', () => {
  it('is none without a bundle', () => {
    expect(certificateState(null)).toBe('none');
  });

  it('is pending until a record is in place', () => {
    expect(certificateState(bundle)).toBe('pending');
  });

  it('is validating once either record is in place', () => {
    expect(certificateState({ ...bundle, dns_validated: true })).toBe('validating');
    expect(certificateState({ ...bundle, dns_challenge_validated: true })).toBe('validating');
  });

  it('is active once issued, even when a record has been removed since', () => {
    expect(certificateState({ ...bundle, issued_at: '2026-11-21T08:00:00.000Z' })).toBe('active');
  });

  it('requires the challenge record as long as issuing waits for it', () => {
    expect(isChallengeAwaited(bundle)).toBe(true);
    expect(isChallengeAwaited({ ...bundle, dns_challenge_validated: true })).toBe(false);
    expect(isChallengeAwaited({ ...bundle, issued_at: '2026-11-21T08:00:00.000Z' })).toBe(false);
  });
});
