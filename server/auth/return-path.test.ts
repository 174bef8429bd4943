import { describe, expect, it } from 'vitest';
import { safeReturnPath } from './return-path.ts';

const PUBLIC_URL = 'https://console.example.ca';

describe('a sign-in leads back to', () => {
  it.each([
    '/',
    '/01abc/sites',
    '/01abc/cdn?create=true',
    '/01abc/usage?from=2026-01-01&to=2026-02-01#chart',
    '/é',
    '/identity/organizations/new',
    '/identity/organizations/rivers?tab=members&search=ada',
    '/identity/invitations/tok_En-1',
  ])('a path of our own: %s', (path) => {
    expect(decodeURI(safeReturnPath(path, PUBLIC_URL))).toBe(path);
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '///evil.example/',
    '/\\evil.example/',
    '\\\\evil.example/',
    '/\t/evil.example/',
    '/\n/evil.example/',
    '\t//evil.example',
    ' //evil.example',
    'javascript:alert(1)',
    'evil.example',
    '/..//evil.example',
    '/./\\evil.example',
    '/a/../..//evil.example/x',
    '/%0d%0aset-cookie:x=y\r\n',
    '@evil.example',
    '/%2e%2e//evil.example',
    '/auth/logout',
    '/auth/login?return_to=/auth/login',
    '/identity/interaction/x',
    '/identity',
    '/identity/auth?client_id=x',
    '/identity/register',
    '/identity/organizations',
    '/identity/organizations/',
    '/identity/organizations/rivers/members',
    '/identity/invitations/',
    '/identity/invitations/x/accept',
    '/identity/invitations/../interaction/x',
    '/identity/organizations/..//evil.example',
    '/identity/organizations/../../auth/logout',
    '/identity/invitations\\@evil.example',
    'https://evil.example/identity/invitations/x',
    '/login',
    `/${'a'.repeat(2001)}`,
    '',
  ])('the start page instead of %j', (path) => {
    const safe = safeReturnPath(path, PUBLIC_URL);
    expect(new URL(safe, PUBLIC_URL).origin).toBe(PUBLIC_URL);
    expect(new URL(`${PUBLIC_URL}${safe}`).origin).toBe(PUBLIC_URL);
    expect(safe.startsWith('//')).toBe(false);
    expect(safe).toBe('/');
  });

  it('the start page when no page was requested', () => {
    expect(safeReturnPath(null, PUBLIC_URL)).toBe('/');
  });
});
