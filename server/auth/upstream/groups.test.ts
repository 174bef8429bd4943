import { describe, expect, it } from 'vitest';
import type { Permission } from '#server/services/organizations/rules.ts';
import { organizationsOfGroups } from './groups.ts';

function granted(claim: unknown, prefix = '', permission: Permission = 'write'): Record<string, string> {
  const organizations = organizationsOfGroups(claim, { prefix, permission });
  return Object.fromEntries(
    organizations.map((organization) => [organization.name, organization.permission]),
  );
}

describe('a groups claim', () => {
  it('grants the configured permission in an organization of each name', () => {
    expect(granted(['rivers', 'lakes'], '', 'read')).toEqual({ rivers: 'read', lakes: 'read' });
    expect(granted('rivers')).toEqual({ rivers: 'write' });
  });

  it('grants the permission in a group’s name', () => {
    const claim = ['a:owner', 'b:admin', 'c:write', 'd:read', 'e:chief', 'f: read', 'team:blue'];
    expect(granted(claim)).toEqual({
      a: 'owner',
      b: 'admin',
      c: 'write',
      d: 'read',
      'e:chief': 'write',
      'f: read': 'write',
      'team:blue': 'write',
    });
  });

  it('grants the strongest of several for one name, in any order', () => {
    expect(granted(['rivers:read', 'rivers:admin', 'rivers'])).toEqual({ rivers: 'admin' });
    expect(granted(['rivers', 'rivers:read'])).toEqual({ rivers: 'write' });
  });

  it('leaves out names that a database would not store unchanged, instead of altering them', () => {
    expect(granted(['lakes', 'rivers\u0000:owner', 'rivers\u0007', 'rivers\ud800'])).toEqual({
      lakes: 'write',
    });
    const cut = organizationsOfGroups([`${'a'.repeat(99)}😀`], { prefix: '', permission: 'read' });
    expect(cut[0]?.name.isWellFormed()).toBe(true);
  });

  it('may name groups by their paths', () => {
    expect(granted(['/rivers', '/quebec/lakes:read'])).toEqual({ rivers: 'write', 'quebec/lakes': 'read' });
  });

  it.each(['portage-', '/portage-'])('counts only below the prefix %s, which is removed', (prefix) => {
    const claim = ['portage-rivers', '/portage-lakes:owner', 'staff', 'portage-', 'portage-:owner'];
    expect(granted(claim, prefix)).toEqual({ rivers: 'write', lakes: 'owner' });
  });

  it('may have a folder as its prefix', () => {
    expect(granted(['/portage/rivers', '/other/lakes'], 'portage')).toEqual({ rivers: 'write' });
  });

  it.each([undefined, null, 7, {}, '', ' ', [''], [null, 7, ['x'], {}], ['/'], [':owner']])(
    'of the form %j is not a group',
    (claim) => {
      expect(granted(claim)).toEqual({});
    },
  );

  it('handles names that are special on objects', () => {
    const [organization] = organizationsOfGroups(['__proto__'], { prefix: '', permission: 'read' });
    expect(organization?.upstream_id).toBe('__proto__');
  });

  it('yields at most 200 organizations, the same ones in any order, and none for an overlong name', () => {
    const claim = Array.from({ length: 300 }, (_, index) => `group-${String(index).padStart(3, '0')}`);
    const forwards = Object.keys(granted([...claim, 'a'.repeat(256)]));
    expect(forwards).toHaveLength(200);
    expect(Object.keys(granted(claim.reverse()))).toEqual(forwards);
  });
});
