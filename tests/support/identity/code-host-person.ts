import type { BrowserClient } from '../client/browser-client.ts';
import { startWithCodeHost, type WithCodeHost } from './start-with-code-host.ts';

const ADA = { login: 'ada', full_name: 'Ada Lovelace', email: 'ada@example.ca' };
const GRACE = { login: 'grace', full_name: 'Grace Hopper', email: 'grace@example.ca' };

/** A named organization as listed by `/api/v1/user/organizations`. */
export interface HostMembership {
  permission: string;
  organization: {
    id: string;
    external_id: string;
    name: string;
    handle: string | null;
    public_url: string | null;
  };
}

/** Returns the named organizations of the signed-in person. */
export async function membershipsOf(browser: BrowserClient): Promise<HostMembership[]> {
  const response = await browser.request('/api/v1/user/organizations');
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
  const memberships = (await response.json()) as HostMembership[];
  return memberships.filter(({ organization }) => !organization.external_id.startsWith('personal-'));
}

/** Returns them as `{name}: {permission}`. */
export async function namesOf(browser: BrowserClient): Promise<string[]> {
  return (await membershipsOf(browser)).map(
    ({ organization, permission }) => `${organization.name}: ${permission}`,
  );
}

/** Returns the audit log's actions so far. */
export async function actionsOf({ app }: WithCodeHost): Promise<string[]> {
  const rows = await app.db.selectFrom('audit_events').select(['action', 'id']).orderBy('id').execute();
  return rows.map(({ action }) => action);
}

/** Ada is signed in and has write permission in Rivers, which Grace owns. */
export async function prepareRivers(options: Parameters<typeof startWithCodeHost>[0] = {}) {
  const server = await startWithCodeHost(options);
  server.host.addPerson(ADA);
  server.host.addPerson(GRACE);
  const rivers = server.host.addOrganization(
    { handle: 'rivers', name: 'Rivers', website: 'https://rivers.example.ca' },
    { ada: 'write', grace: 'owner' },
  );
  const browser = await server.signIn('ada');
  const [membership] = await membershipsOf(browser);
  if (!membership) throw new Error('no membership');
  server.host.asked.length = 0;
  return { ...server, rivers, browser, id: membership.organization.id };
}
