import { describe, expect, it } from 'vitest';
import { isAtDomain, readRegistration } from './registration-config.ts';

const HERE = 'http://localhost:3000';
const THERE = 'https://console.example.ca';
const MAIL_URL = 'smtp://mail.example.ca';
const OIDC_ISSUER = 'https://id.example.ca';

describe('who may register', () => {
  it.each([HERE, 'http://127.0.0.1:3000', 'http://[::1]:3000', 'http://console.localhost'])(
    'is anyone at %s',
    (publicUrl) => {
      expect(readRegistration({}, publicUrl).isOpen).toBe(true);
      expect(readRegistration({ REGISTRATION: [] }, publicUrl).isOpen).toBe(true);
    },
  );

  it('is no one as soon as others can reach the console, unless an issuer decides', () => {
    expect(readRegistration({}, THERE).isOpen).toBe(false);
    expect(readRegistration({}, 'https://localhost.example.ca').isOpen).toBe(false);
    expect(readRegistration({ OIDC_ISSUER }, THERE).isOpen).toBe(true);
  });

  it('is who the setting says', () => {
    expect(readRegistration({ REGISTRATION: ['open'] }, THERE).isOpen).toBe(true);
    expect(readRegistration({ REGISTRATION: ['closed'] }, HERE).isOpen).toBe(false);
    const words = ['invitation', 'domain:Example.CA', 'domain:rivers.example'];
    expect(readRegistration({ REGISTRATION: words, MAIL_URL }, THERE)).toEqual({
      isOpen: false,
      isByInvitation: true,
      domains: ['example.ca', 'rivers.example'],
      groups: [],
    });
    const groups = readRegistration({ REGISTRATION: ['group:hosting team'], OIDC_ISSUER }, THERE);
    expect(groups).toMatchObject({ isOpen: false, groups: ['hosting team'] });
  });

  it.each([
    [['open', 'invitation'], 'must be open, closed, or a list'],
    [['anybody'], 'must be open, closed, or a list'],
    [['domain:'], 'must be open, closed, or a list'],
    [['domain:@example.ca'], 'must be open, closed, or a list'],
    [['domain:example.ca'], 'domains need MAIL_URL'],
    [['group:hosting'], 'groups are known only where OIDC_ISSUER is set'],
  ])('refuses %j', (REGISTRATION, reason) => {
    expect(() => readRegistration({ REGISTRATION }, THERE)).toThrow(reason);
  });
});

describe('an address', () => {
  it('matches a whole domain in any case, and never by its ending or its local part', () => {
    const isAt = (email: string) => isAtDomain(email, ['example.ca']);
    expect(['ada@example.ca', 'ada@EXAMPLE.ca', '"a@b"@example.ca'].map(isAt)).toEqual([true, true, true]);
    const others = ['ada@sub.example.ca', 'ada@badexample.ca', 'example.ca@evil.example', '', 'example.com'];
    expect(others.map(isAt)).toEqual([false, false, false, false, false]);
  });
});
