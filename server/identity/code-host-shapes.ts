import type { DirectoryOrganization, DirectoryPerson } from '../services/directory/schema.ts';
import { PERMISSIONS, type Permission } from '../services/organizations/rules.ts';

/** How Forgejo writes a time that it does not disclose. */
const UNTOLD_INSTANT = '0001-01-01T00:00:00Z';

/**
 * Returns a person as Forgejo's API shows the person's own account. Fields without an equivalent here are
 * empty.
 */
export function toHostUser(publicUrl: string, person: DirectoryPerson): object {
  return {
    id: person.number,
    login: person.login,
    login_name: '',
    source_id: 0,
    full_name: person.full_name,
    email: person.email,
    avatar_url: person.avatar_url ?? '',
    html_url: `${publicUrl}/identity/profile`,
    language: person.language ?? '',
    is_admin: false,
    last_login: UNTOLD_INSTANT,
    created: new Date(person.created_at).toISOString(),
    restricted: false,
    active: true,
    prohibit_login: false,
    location: '',
    website: '',
    description: '',
    visibility: 'private',
    username: person.login,
  };
}

/**
 * Returns an organization as Forgejo's API shows it. `name` and `username` are the handle, `full_name`
 * the name.
 */
export function toHostOrganization(organization: DirectoryOrganization): object {
  return {
    id: organization.number,
    name: organization.handle,
    full_name: organization.name,
    email: '',
    avatar_url: organization.avatar_url ?? '',
    description: organization.description ?? '',
    website: organization.website ?? '',
    location: organization.location ?? '',
    visibility: 'public',
    repo_admin_change_team_access: false,
    username: organization.handle,
  };
}

/**
 * Returns a permission as Forgejo's API shows it: each level includes the ones below. We have no
 * repositories.
 */
export function toHostPermissions(permission: Permission | null): object {
  const reaches = (wanted: Permission) =>
    permission !== null && PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf(wanted);
  return {
    is_owner: reaches('owner'),
    is_admin: reaches('admin'),
    can_write: reaches('write'),
    can_read: reaches('read'),
    can_create_repository: false,
  };
}
