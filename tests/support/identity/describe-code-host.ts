import { describe, expect, it } from 'vitest';
import { createCodeHost } from '#server/auth/upstream/code-host.ts';
import type { Permission } from '#server/services/organizations/rules.ts';
import { testOutgoing } from '../app/test-outgoing.ts';

export interface HostOrganizationFields {
  handle: string;
  name: string;
  description?: string;
  website?: string;
  location?: string;
  avatar_url?: string;
}

/**
 * A code host with people and organizations that the test creates. Names are lower-case letters, digits and
 * hyphens.
 */
export interface CodeHostUnderTest {
  /** The value for CODE_HOST_URL: the API is below `{baseUrl}/api/v1`. */
  baseUrl: string;
  /** Returns the person's id and a token with the scopes `read:user` and `read:organization`. */
  createPerson(fields: { login: string; full_name: string; email: string }): Promise<{
    id: string;
    accessToken: string;
  }>;
  /** Returns the organization's numeric id, as text. */
  createOrganization(fields: HostOrganizationFields): Promise<string>;
  /** Grants, changes or (null) removes a membership. */
  setPermission(organizationId: string, login: string, permission: Permission | null): Promise<void>;
  updateOrganization(organizationId: string, fields: Partial<HostOrganizationFields>): Promise<void>;
  /** Revokes the token. */
  revoke(accessToken: string): Promise<void>;
}

const ADA = { login: 'ada', full_name: 'Ada Lovelace', email: 'ada@example.ca' };

/**
 * The contract of every code host: what our adapter reads from it over real sockets. `start` returns an empty
 * host, stopped after the test; the suite creates whatever it needs through it.
 */
export function describeCodeHost(name: string, start: () => Promise<CodeHostUnderTest>): void {
  const prepare = async () => {
    const host = await start();
    const ada = await host.createPerson(ADA);
    const read = () =>
      createCodeHost(host.baseUrl, testOutgoing()).read(ada.accessToken, AbortSignal.timeout(30_000));
    const organizationsOf = async () => (await read()).organizations;
    return { host, ada, read, organizationsOf };
  };

  describe(name, () => {
    it('returns a token’s owner', async () => {
      const { ada, read } = await prepare();
      expect(ada.id).toMatch(/^[1-9]\d*$/);
      const person = await read();
      expect(person).toMatchObject({ id: ada.id, profile: ADA, organizations: [], isTruncated: false });
    });

    it('returns the person’s permission in each organization, strongest first', async () => {
      const { host, organizationsOf } = await prepare();
      const permissions = ['owner', 'admin', 'write', 'read'] as const;
      for (const permission of permissions) {
        const id = await host.createOrganization({ handle: `${permission}s`, name: `The ${permission}s` });
        await host.setPermission(id, 'ada', permission);
      }
      const found = await organizationsOf();
      expect(Object.fromEntries(found.map(({ handle, permission }) => [handle, permission]))).toEqual({
        owners: 'owner',
        admins: 'admin',
        writes: 'write',
        reads: 'read',
      });
    });

    it('describes an organization, even with missing fields', async () => {
      const { host, organizationsOf } = await prepare();
      const described = {
        handle: 'rivers',
        name: 'Rivières du Québec',
        description: 'All of them',
        website: 'https://rivers.example.ca',
        location: 'Trois-Rivières',
        avatar_url: 'https://rivers.example.ca/avatar.png',
      };
      const rivers = await host.createOrganization(described);
      const lakes = await host.createOrganization({ handle: 'lakes', name: 'Lakes' });
      await host.setPermission(rivers, 'ada', 'read');
      await host.setPermission(lakes, 'ada', 'read');
      const found = await organizationsOf();
      const by = (id: string) => found.find(({ upstream_id }) => upstream_id === id);
      expect(by(rivers)).toEqual({ ...described, upstream_id: rivers, permission: 'read' });
      expect(by(lakes)).toMatchObject({ handle: 'lakes', name: 'Lakes', description: null, website: null });
      expect(by(lakes)?.location).toBeNull();
    });

    it('lists only the person’s own organizations', async () => {
      const { host, organizationsOf } = await prepare();
      await host.createPerson({ login: 'grace', full_name: 'Grace Hopper', email: 'grace@example.ca' });
      const shared = await host.createOrganization({ handle: 'shared', name: 'Shared' });
      const foreign = await host.createOrganization({ handle: 'foreign', name: 'Foreign' });
      await host.setPermission(shared, 'ada', 'write');
      await host.setPermission(shared, 'grace', 'owner');
      await host.setPermission(foreign, 'grace', 'owner');
      expect((await organizationsOf()).map(({ upstream_id }) => upstream_id)).toEqual([shared]);
    });

    it('keeps an organization’s number when it is renamed, and returns the new names', async () => {
      const { host, organizationsOf } = await prepare();
      const id = await host.createOrganization({ handle: 'before', name: 'Before' });
      await host.setPermission(id, 'ada', 'admin');
      await host.updateOrganization(id, { handle: 'after', name: 'After' });
      expect(await organizationsOf()).toMatchObject([{ upstream_id: id, handle: 'after', name: 'After' }]);
    });

    it('reports a changed and a removed membership', async () => {
      const { host, organizationsOf } = await prepare();
      await host.createPerson({ login: 'grace', full_name: 'Grace Hopper', email: 'grace@example.ca' });
      const id = await host.createOrganization({ handle: 'rivers', name: 'Rivers' });
      await host.setPermission(id, 'grace', 'owner');
      await host.setPermission(id, 'ada', 'admin');
      await host.setPermission(id, 'ada', 'read');
      expect(await organizationsOf()).toMatchObject([{ upstream_id: id, permission: 'read' }]);
      await host.setPermission(id, 'ada', null);
      expect(await organizationsOf()).toEqual([]);
    });

    it('is read over as many pages as there are', async () => {
      const { host, organizationsOf } = await prepare();
      const ids: string[] = [];
      for (let count = 0; count < 123; count += 1) {
        const id = await host.createOrganization({ handle: `org-${count}`, name: `Organization ${count}` });
        await host.setPermission(id, 'ada', 'read');
        ids.push(id);
      }
      const found = (await organizationsOf()).map(({ upstream_id }) => Number(upstream_id));
      expect(found).toEqual(ids.map(Number).sort((a, b) => a - b));
    });

    it('rejects a token that is revoked or was never issued', async () => {
      const { host, ada, read } = await prepare();
      await host.revoke(ada.accessToken);
      await expect(read()).rejects.toMatchObject({ name: 'UpstreamError', kind: 'refused' });
      const made = createCodeHost(host.baseUrl, testOutgoing()).read('made-up', AbortSignal.timeout(30_000));
      await expect(made).rejects.toMatchObject({ name: 'UpstreamError', kind: 'refused' });
    });
  });
}
