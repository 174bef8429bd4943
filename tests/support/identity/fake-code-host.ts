import type { IncomingMessage, ServerResponse } from 'node:http';
import { PERMISSIONS, type Permission } from '#server/services/organizations/rules.ts';
import type { CodeHostUnderTest, HostOrganizationFields } from './describe-code-host.ts';

interface HostPerson {
  id: number;
  login: string;
  full_name: string;
  email: string;
  avatar_url: string;
}

interface HostOrganization extends HostOrganizationFields {
  id: number;
  members: Map<string, Permission>;
}

/** How the API responds: like Forgejo, or in one of the ways that things break. */
export type HostMood =
  | 'well'
  | 'refusing'
  | 'failing'
  | 'overloaded'
  | 'hanging'
  | 'nonsense'
  | 'endless'
  | 'moved';

/** A code host in memory that responds in the format of Forgejo's API, and misbehaves on demand. */
export class FakeCodeHost {
  mood: HostMood = 'well';
  /** The most items in a response, whatever was requested. */
  pageMax = 50;
  /** Lists the first page whichever was requested. */
  ignoresPages = false;
  /** What a page's headers say about the others. */
  pageHeaders: 'both' | 'link' | 'count' | 'none' = 'both';
  /** Accepts every token as this person's. */
  answersAs: string | null = null;
  /** Where a host that has moved redirects requests. */
  redirectsTo = 'http://127.0.0.1:9';
  /** Requested paths, with their query. */
  readonly asked: string[] = [];
  /** Called before a path is served. */
  onAsk: (path: string) => void = () => undefined;
  readonly people = new Map<string, HostPerson>();
  readonly organizations = new Map<string, HostOrganization>();
  readonly #tokens = new Map<string, string>();
  #nextId = 7;

  addPerson(fields: { login: string; full_name: string; email: string }): HostPerson {
    const person = {
      id: this.#nextId++,
      avatar_url: `https://code.example.ca/${fields.login}.png`,
      ...fields,
    };
    this.people.set(fields.login, person);
    return person;
  }

  addOrganization(
    fields: HostOrganizationFields,
    members: Record<string, Permission> = {},
  ): HostOrganization {
    const organization = { id: this.#nextId++, members: new Map(Object.entries(members)), ...fields };
    this.organizations.set(String(organization.id), organization);
    return organization;
  }

  /** Issues a token that only this API knows. */
  issueToken(login: string): string {
    const token = `token-of-${login}-${this.#tokens.size}`;
    this.#tokens.set(token, login);
    return token;
  }

  /** The host for the contract's tests. */
  underTest(baseUrl: string): CodeHostUnderTest {
    return {
      baseUrl,
      createPerson: async (fields) => {
        const { id } = this.addPerson(fields);
        return { id: String(id), accessToken: this.issueToken(fields.login) };
      },
      createOrganization: async (fields) => String(this.addOrganization(fields).id),
      setPermission: async (id, login, permission) => {
        const members = this.organizations.get(id)?.members;
        if (permission) members?.set(login, permission);
        else members?.delete(login);
      },
      updateOrganization: async (id, fields) => {
        const organization = this.organizations.get(id);
        if (organization) Object.assign(organization, fields);
      },
      revoke: async (token) => void this.#tokens.delete(token),
    };
  }

  /**
   * Responds below `/api/v1`; `loginOf` knows the tokens of a sign-in. Returns false for every other path.
   */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    loginOf: (token: string) => Promise<string | null> = async () => null,
  ): Promise<boolean> {
    if (!url.pathname.startsWith('/api/v1/')) return false;
    const path = url.pathname.slice('/api/v1'.length);
    this.asked.push(`${path}${url.search}`);
    this.onAsk(path);
    if (this.#misbehave(response)) return true;
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const login = this.answersAs ?? this.#tokens.get(token) ?? (await loginOf(token));
    const person = this.people.get(login ?? '');
    if (!person) return send(response, 401, { message: 'user does not exist', url: '' });
    if (path === '/user') return send(response, 200, { ...person, is_admin: false, language: 'fr-CA' });
    if (path === '/user/orgs') return this.#listOrganizations(response, person, url);
    const [, asked, handle] = /^\/users\/([^/]+)\/orgs\/([^/]+)\/permissions$/.exec(path) ?? [];
    const organization = [...this.organizations.values()].find((candidate) => candidate.handle === handle);
    if (asked !== person.login || !organization)
      return send(response, 404, { message: 'not found', url: '' });
    return send(response, 200, permissionsOf(organization.members.get(person.login)));
  }

  #misbehave(response: ServerResponse): boolean {
    switch (this.mood) {
      case 'well':
        return false;
      case 'refusing':
        return send(response, 403, { message: 'token does not have at least one of required scope(s)' });
      case 'failing':
        return send(response, 500, { message: 'internal error' });
      case 'overloaded':
        return send(response, 429, { message: 'slow down' });
      case 'hanging':
        return true;
      case 'nonsense':
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Maintenance</h1>');
        return true;
      case 'endless':
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('[');
        for (let count = 0; count < 5; count += 1) response.write('" ".'.repeat(300_000));
        response.end();
        return true;
      case 'moved':
        response.writeHead(307, { location: `${this.redirectsTo}/api/v1/user` }).end();
        return true;
    }
  }

  #listOrganizations(response: ServerResponse, person: HostPerson, url: URL): boolean {
    const own = [...this.organizations.values()].filter(({ members }) => members.has(person.login));
    const size = Math.min(Number(url.searchParams.get('limit') ?? 30), this.pageMax);
    const page = this.ignoresPages ? 1 : Number(url.searchParams.get('page') ?? 1);
    const isLast = page * size >= own.length;
    const headers: Record<string, string> = {};
    if (this.pageHeaders === 'both' || this.pageHeaders === 'count')
      headers['x-total-count'] = `${own.length}`;
    // Like Forgejo: a single page has no links, and links use an address of its own choosing.
    if ((this.pageHeaders === 'both' || this.pageHeaders === 'link') && own.length > size) {
      const rel = isLast ? 'first' : 'next';
      headers.link = `<https://elsewhere.example/api/v1/user/orgs?page=${isLast ? 1 : page + 1}>; rel="${rel}"`;
    }
    const listed = own.slice((page - 1) * size, page * size).map(({ members: _, handle, name, ...rest }) => ({
      name: handle,
      username: handle,
      full_name: name,
      description: '',
      website: '',
      location: '',
      avatar_url: '',
      email: '',
      visibility: 'private',
      repo_admin_change_team_access: true,
      ...rest,
    }));
    return send(response, 200, listed, headers);
  }
}

function permissionsOf(permission: Permission | undefined): Record<string, boolean> {
  const rank = permission === undefined ? -1 : PERMISSIONS.indexOf(permission);
  const [can_read, can_write, is_admin, is_owner] = PERMISSIONS.map((_, index) => rank >= index);
  return {
    is_owner: is_owner === true,
    is_admin: is_admin === true,
    can_write: can_write === true,
    can_read: can_read === true,
    can_create_repository: is_owner === true,
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): true {
  response
    .writeHead(status, { 'content-type': 'application/json;charset=utf-8', ...headers })
    .end(JSON.stringify(body));
  return true;
}
