import { describe, expect, it } from 'vitest';
import { withOrganization } from './use-switch-organization.ts';

describe('an address in another organization', () => {
  it.each([
    ['/a', '/b'],
    ['/a/', '/b/'],
    ['/a/sites', '/b/sites'],
    ['/a/sites/a?search=a&create=true#a', '/b/sites/a?search=a&create=true#a'],
    ['/a?x=/a/#/a', '/b?x=/a/#/a'],
    ['/a#top', '/b#top'],
  ])('keeps everything but the first segment: %s', (before, after) => {
    expect(withOrganization(before, 'b')).toBe(after);
  });

  it.each([['/identity/profile'], ['/identity/organizations/a?tab=members'], ['/operator?view=people']])(
    'is the dashboard for a page of no organization: %s',
    (before) => {
      expect(withOrganization(before, 'b')).toBe('/b');
    },
  );

  it.each([
    ['/onboarding', '/onboarding?return_to=%2Fb'],
    ['/onboarding?step=payment', '/onboarding?return_to=%2Fb'],
    [
      '/onboarding?return_to=%2Fa%2Fsites%3Fcreate%3Dtrue&step=billing',
      '/onboarding?return_to=%2Fb%2Fsites%3Fcreate%3Dtrue',
    ],
  ])('restarts onboarding, with the same return path: %s', (before, after) => {
    expect(withOrganization(before, 'b')).toBe(after);
  });
});
