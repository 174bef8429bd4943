import { describe, expect, it } from 'vitest';
import { readBundle } from './bundle-reading.ts';

const bundle = { issued_at: null, dns_validated: false, dns_challenge_validated: false };

describe('how far a certificate is', () => {
  it('is nothing without a bundle', () => {
    expect(readBundle(null)).toBe('none');
  });

  it('is pending until a record stands', () => {
    expect(readBundle(bundle)).toBe('pending');
  });

  it('is validated once either record stands', () => {
    expect(readBundle({ ...bundle, dns_validated: true })).toBe('validated');
    expect(readBundle({ ...bundle, dns_challenge_validated: true })).toBe('validated');
  });

  it('is active once issued, even when a record has gone since', () => {
    expect(readBundle({ ...bundle, issued_at: '2026-11-21T08:00:00.000Z' })).toBe('active');
  });
});
