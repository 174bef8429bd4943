import { describe, expect, it } from 'vitest';
import { pageHeaders } from './security-headers.ts';

const policyOf = (hasStripe: boolean) =>
  pageHeaders('nonce', {
    isSecure: true,
    isDevelopment: false,
    hasStripe,
    s3Origin: 'http://s3.localhost:9000',
  })['content-security-policy'];

describe('the content security policy of a page', () => {
  it('allows nothing from elsewhere when no payment provider is configured', () => {
    expect(policyOf(false)).not.toContain('stripe');
    expect(policyOf(false)).toContain("script-src 'self' 'nonce-nonce';");
  });

  it('allows Stripe’s card form, its frame and its calls, and nothing else, when Stripe is configured', () => {
    const hosts = policyOf(true)?.match(/https:\/\/\S+?(?=[; ])/g);
    expect(hosts).toEqual([
      'https://js.stripe.com',
      'https://*.js.stripe.com',
      'https://api.stripe.com',
      'https://js.stripe.com',
      'https://*.js.stripe.com',
      'https://hooks.stripe.com',
    ]);
  });
});
