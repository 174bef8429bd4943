import { describe, expect, it } from 'vitest';
import { requireJson, requireSameOrigin } from './require-same-origin.ts';

const PUBLIC_URL = 'https://console.example.ca';
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'post'];
const SITES = [null, 'same-origin', 'same-site', 'cross-site', 'none', ''];
const ORIGINS = [
  null,
  'https://console.example.ca',
  'https://console.example.ca:443',
  'http://console.example.ca',
  'https://console.example.ca.evil.example',
  'https://evil.example',
  'null',
  '',
];

function isLetThrough(method: string, site: string | null, origin: string | null): boolean {
  const headers = new Headers();
  if (site !== null) headers.set('sec-fetch-site', site);
  if (origin !== null) headers.set('origin', origin);
  try {
    requireSameOrigin(method, headers, PUBLIC_URL);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'cross_site_request', status: 403 });
    return false;
  }
}

const combinations = METHODS.flatMap((method) =>
  SITES.flatMap((site) => ORIGINS.map((origin) => ({ method, site, origin }))),
);

describe('a request by cookie', () => {
  it('that changes nothing is always allowed', () => {
    const safe = combinations.filter(({ method }) => ['GET', 'HEAD', 'OPTIONS'].includes(method));
    for (const { method, site, origin } of safe) expect(isLetThrough(method, site, origin)).toBe(true);
  });

  it('that may change something is allowed only when the browser calls it same-origin, or names our origin and nothing else', () => {
    const unsafe = combinations.filter(({ method }) => !['GET', 'HEAD', 'OPTIONS'].includes(method));
    const passed = unsafe.filter(({ method, site, origin }) => isLetThrough(method, site, origin));
    expect(passed).toEqual(
      unsafe.filter(
        ({ site, origin }) =>
          site === 'same-origin' || (site === null && origin === 'https://console.example.ca'),
      ),
    );
    expect(passed.length).toBeGreaterThan(0);
    expect(passed.length).toBeLessThan(unsafe.length / 2);
  });

  it('is compared with the origin of PUBLIC_URL, whatever path that has', () => {
    const headers = new Headers({ origin: 'https://console.example.ca' });
    expect(() => requireSameOrigin('POST', headers, 'https://console.example.ca/hosting')).not.toThrow();
  });
});

describe('a body', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'of %s is JSON',
    (type) => {
      expect(() => requireJson(new Headers({ 'content-type': type }))).not.toThrow();
    },
  );

  it.each([
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'text/plain; application/json',
    'application/jsonp',
    'application/octet-stream',
  ])('of %s is refused', (type) => {
    const send = () => requireJson(new Headers({ 'content-type': type }));
    expect(send).toThrow(expect.objectContaining({ code: 'unsupported_media_type', status: 415 }));
  });

  it('without a type is refused', () => {
    expect(() => requireJson(new Headers())).toThrow(
      expect.objectContaining({ code: 'unsupported_media_type' }),
    );
  });
});
