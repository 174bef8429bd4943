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
  ])('keeps all but the first segment: %s', (before, after) => {
    expect(withOrganization(before, 'b')).toBe(after);
  });
});
