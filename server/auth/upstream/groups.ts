import { PERMISSIONS, type Permission } from '../../services/organizations/rules.ts';
import type { UpstreamOrganization } from '../../services/organizations/upstream/apply-upstream-memberships.ts';

const ORGANIZATIONS_MAX = 200;
const GROUPS_MAX = 5_000;
const NAME_LENGTH_MAX = 255;

export interface GroupSettings {
  /** Only groups that begin with it count; it is removed. */
  prefix: string;
  /** The permission of a group that does not name one. */
  permission: Permission;
}

/**
 * Returns the organizations that a `groups` claim stands for. `{name}:{permission}` grants that permission,
 * every other group the configured one; of several for one name the strongest counts. A missing or malformed
 * claim means no group; of more than 200 organizations the first by name count, so that two readings agree.
 */
export function organizationsOfGroups(claim: unknown, settings: GroupSettings): UpstreamOrganization[] {
  const prefix = withoutSlash(settings.prefix);
  const strongest = new Map<string, Permission>();
  for (const group of namesOf(claim)) {
    const path = withoutSlash(group.trim());
    if (!path.startsWith(prefix)) continue;
    const { name, permission } = parseGroup(withoutSlash(path.slice(prefix.length)), settings.permission);
    // Left out, not cleaned: a name must never become another group's.
    const isStorable = name.isWellFormed() && !/\p{Cc}/u.test(name);
    if (name === '' || name.length > NAME_LENGTH_MAX || !isStorable) continue;
    const known = strongest.get(name);
    if (!known || PERMISSIONS.indexOf(known) < PERMISSIONS.indexOf(permission))
      strongest.set(name, permission);
  }
  return [...strongest]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, ORGANIZATIONS_MAX)
    .map(([name, permission]) => ({
      upstream_id: name,
      handle: null,
      name: name.slice(0, 100).toWellFormed(),
      description: null,
      website: null,
      location: null,
      avatar_url: null,
      permission,
    }));
}

function namesOf(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim];
  if (!Array.isArray(claim)) return [];
  return claim.slice(0, GROUPS_MAX).filter((group) => typeof group === 'string');
}

/** Some issuers name a group by its path, with a leading slash. */
function withoutSlash(name: string): string {
  return name.replace(/^\/+/, '');
}

function parseGroup(group: string, granted: Permission): { name: string; permission: Permission } {
  const colon = group.lastIndexOf(':');
  const permission = PERMISSIONS.find((candidate) => candidate === group.slice(colon + 1));
  if (colon < 0 || !permission) return { name: group, permission: granted };
  return { name: group.slice(0, colon).trim(), permission };
}
