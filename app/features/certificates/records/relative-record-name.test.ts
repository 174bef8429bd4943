import { describe, expect, it } from 'vitest';
import { relativeRecordName } from './relative-record-name.ts';

describe('the host part of a record', () => {
  it('is the name without the registered domain', () => {
    expect(relativeRecordName('www.example.ca', 'example.ca')).toBe('www');
    expect(relativeRecordName('_acme-challenge.www.shop.example.co.uk', 'example.co.uk')).toBe(
      '_acme-challenge.www.shop',
    );
  });

  it('is @ for the domain itself', () => {
    expect(relativeRecordName('example.ca', 'example.ca')).toBe('@');
  });

  it('is unknown without a registered domain, and for a name outside it', () => {
    expect(relativeRecordName('www.localhost', null)).toBeNull();
    expect(relativeRecordName('www.myexample.ca', 'example.ca')).toBeNull();
  });
});
