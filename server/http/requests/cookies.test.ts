import { describe, expect, it } from 'vitest';
import { cookieName, parseCookies, serializeCookie } from './cookies.ts';

describe('a Cookie header', () => {
  it('gives every cookie its value', () => {
    expect([...parseCookies('a=1; b=two=2;c=')]).toEqual([
      ['a', '1'],
      ['b', 'two=2'],
      ['c', ''],
    ]);
  });

  it.each(['x=%', '=', ';;;', 'x', '%=%; ;=;', 'a=%E0%A4%A', '\u00ff=\u00ff', ' = '])(
    'of the malformed form %j still yields its other cookies',
    (malformed) => {
      expect(parseCookies(`${malformed}; session=abc`).get('session')).toBe('abc');
    },
  );

  it('with a name twice gives the first', () => {
    expect(parseCookies('a=1; a=2').get('a')).toBe('1');
  });

  it.each(['\u00a0', '\ufeff', '\u2003', '\v', '\u0085'])(
    'with the character %j before the name of a cookie of this host does not give it',
    (space) => {
      expect(parseCookies(`${space}__Host-session=theirs`).get('__Host-session')).toBeUndefined();
      expect(parseCookies(`${space}__Host-session=theirs; __Host-session=ours`).get('__Host-session')).toBe(
        'ours',
      );
    },
  );

  it('that is missing gives nothing', () => {
    expect(parseCookies(null).size).toBe(0);
  });
});

describe('a cookie', () => {
  it('is bound to the host on https', () => {
    const name = cookieName('session', true);
    expect(serializeCookie(name, 'v', { isSecure: true, maxAgeSeconds: 60 })).toBe(
      '__Host-session=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
    );
  });

  it('does without prefix and Secure on plain http', () => {
    const name = cookieName('session', false);
    expect(serializeCookie(name, 'v', { isSecure: false, maxAgeSeconds: 60 })).toBe(
      'session=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
    );
  });
});
