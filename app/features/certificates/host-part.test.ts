import { describe, expect, it } from 'vitest';
import { hostPart } from './host-part.ts';

describe('the host part of a record', () => {
  it('is the name without the registered domain', () => {
    expect(hostPart('www.example.ca', 'example.ca')).toBe('www');
    expect(hostPart('_acme-challenge.www.shop.example.co.uk', 'example.co.uk')).toBe(
      '_acme-challenge.www.shop',
    );
  });

  it('is @ for the domain itself', () => {
    expect(hostPart('example.ca', 'example.ca')).toBe('@');
  });

  it('is not known without a registered domain, nor for a name outside of it', () => {
    expect(hostPart('www.localhost', null)).toBeNull();
    expect(hostPart('www.myexample.ca', 'example.ca')).toBeNull();
  });
});
