import { z } from 'zod';
import { mapConcurrently } from '../../concurrency/map-concurrently.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import type { Permission } from '../../services/organizations/rules.ts';
import type { UpstreamOrganization } from '../../services/organizations/upstream/apply-upstream-memberships.ts';
import { type JsonResponse, readJson } from './read-json.ts';
import { UpstreamError } from './upstream-error.ts';
import type { UpstreamProfile } from './upstream-person.ts';
import { textOrNull, webAddressOrNull } from './web-address.ts';

/** The requested page size; the code host may return fewer. */
const PAGE_SIZE = 50;
const ORGANIZATIONS_MAX = 500;
const PAGES_MAX = 100;
const REQUESTS_AT_ONCE = 5;

const text = z.string().nullish();
const number = z.int().positive();

const userSchema = z.object({
  id: number,
  login: z.string().min(1),
  full_name: text,
  email: text,
  avatar_url: text,
});

const organizationSchema = z.object({
  id: number,
  /** Older hosts send only `username`. */
  name: text,
  username: text,
  full_name: text,
  description: text,
  website: text,
  location: text,
  avatar_url: text,
});
type HostOrganization = z.output<typeof organizationSchema>;

const permissionsSchema = z.object({
  is_owner: z.boolean(),
  is_admin: z.boolean(),
  can_write: z.boolean(),
  can_read: z.boolean(),
});

/** A person as the code host currently describes them. */
export interface CodeHostPerson {
  /** The numeric id, as text. */
  id: string;
  profile: UpstreamProfile;
  organizations: UpstreamOrganization[];
  /** There are more organizations than we follow; the ones with the lowest numbers are used. */
  isTruncated: boolean;
}

/**
 * Reads the API of a Forgejo-like code host: the person of a token, the organizations, and the person's
 * permissions there.
 */
export interface CodeHost {
  /** @throws UpstreamError */
  read(accessToken: string, signal: AbortSignal): Promise<CodeHostPerson>;
}

/** Returns the reader for a code host's address, e.g. `https://code.example.ca`. */
export function createCodeHost(baseUrl: string, outgoing: Outgoing): CodeHost {
  const circuit = outgoing.circuit('code_host', () => true);
  const api = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/api/v1`;

  const readOnce = async (accessToken: string, signal: AbortSignal) => {
    const ask = <Schema extends z.ZodType>(path: string, schema: Schema) =>
      readJson({ url: new URL(`${api}${path}`), circuit, accessToken, schema, signal });

    const { body: user } = await ask('/user', userSchema);
    if (!user) throw new UpstreamError('outage', '/user: there is no such address');
    const { listed, isTruncated } = await listOrganizations((page) =>
      ask(`/user/orgs?page=${page}&limit=${PAGE_SIZE}`, z.array(organizationSchema)),
    );
    let isMoving = false;
    const found = await mapConcurrently(listed, REQUESTS_AT_ONCE, async (organization) => {
      const handle = handleOf(organization);
      const path = `/users/${encodeURIComponent(user.login)}/orgs/${encodeURIComponent(handle)}/permissions`;
      const { body } = await ask(path, permissionsSchema);
      isMoving ||= body === null;
      const permission = body && strongestOf(body);
      return permission && { ...toUpstream(organization), permission };
    });
    const organizations = found.filter((organization) => organization !== null);
    return { id: String(user.id), profile: toProfile(user), organizations, isTruncated, isMoving };
  };

  return {
    async read(accessToken, signal) {
      const first = await readOnce(accessToken, signal);
      // An organization renamed between the list and this request is not found: that must not look like a
      // lost membership.
      const { isMoving, ...person } = first.isMoving ? await readOnce(accessToken, signal) : first;
      return person;
    },
  };
}

/**
 * Reads pages to the end: as many as `X-Total-Count` says, or until `Link` has no next one, or until a page
 * contains nothing new. A short page is not the last: the host may return fewer per page than requested.
 */
async function listOrganizations(
  askPage: (page: number) => Promise<JsonResponse<HostOrganization[]>>,
): Promise<{ listed: HostOrganization[]; isTruncated: boolean }> {
  const byId = new Map<number, HostOrganization>();
  let isTruncated = true;
  for (let page = 1; page <= PAGES_MAX && byId.size <= ORGANIZATIONS_MAX; page += 1) {
    const { body, headers } = await askPage(page);
    if (!body) throw new UpstreamError('outage', '/user/orgs: there is no such address');
    const before = byId.size;
    for (const organization of body) byId.set(organization.id, organization);
    if (byId.size === before || isLastPage(byId.size, headers)) {
      isTruncated = byId.size > ORGANIZATIONS_MAX;
      break;
    }
  }
  const listed = [...byId.values()].sort((a, b) => a.id - b.id).slice(0, ORGANIZATIONS_MAX);
  return { listed, isTruncated };
}

function isLastPage(soFar: number, headers: Headers): boolean {
  const total = headers.get('x-total-count');
  if (total !== null && /^\d+$/.test(total)) return soFar >= Number(total);
  const link = headers.get('link');
  return link !== null && !/rel="?next"?/i.test(link);
}

function strongestOf(permissions: z.output<typeof permissionsSchema>): Permission | null {
  if (permissions.is_owner) return 'owner';
  if (permissions.is_admin) return 'admin';
  if (permissions.can_write) return 'write';
  return permissions.can_read ? 'read' : null;
}

function handleOf({ id, name, username }: HostOrganization): string {
  const handle = textOrNull(name, 100) ?? textOrNull(username, 100);
  if (handle === null) throw new UpstreamError('outage', `/user/orgs: organization ${id} has no name`);
  return handle;
}

function toUpstream(organization: HostOrganization): Omit<UpstreamOrganization, 'permission'> {
  const handle = handleOf(organization);
  return {
    upstream_id: String(organization.id),
    handle,
    name: textOrNull(organization.full_name, 100) ?? handle,
    description: textOrNull(organization.description, 500),
    website: webAddressOrNull(organization.website),
    location: textOrNull(organization.location, 100),
    avatar_url: webAddressOrNull(organization.avatar_url),
  };
}

function toProfile(user: z.output<typeof userSchema>): UpstreamProfile {
  const login = textOrNull(user.login, 100) ?? String(user.id);
  return {
    login,
    full_name: textOrNull(user.full_name, 200) ?? login,
    email: textOrNull(user.email, 254) ?? '',
    avatar_url: webAddressOrNull(user.avatar_url),
  };
}
