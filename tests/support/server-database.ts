import { join } from 'node:path';
import { type Db, openDatabase } from '#db/client.ts';
import { newId } from '#server/ids.ts';
import type { Permission } from '#server/services/organizations/rules.ts';
import type { TestServer } from './test-server.ts';

/** Works on the database of a running server beside it, for what no screen and no call can make yet. */
async function inServerDatabase(server: TestServer, work: (db: Db) => Promise<unknown>): Promise<void> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}

/** Puts a CDN endpoint in front of a site. */
export async function insertEndpoint(
  server: TestServer,
  endpoint: { organizationId: string; siteId: string; hostname: string },
): Promise<void> {
  const now = Date.now();
  const row = {
    id: newId(now),
    organization_id: endpoint.organizationId,
    hostname: endpoint.hostname,
    cname_target: 'a.edge.localhost',
    origin_type: 'site' as const,
    site_id: endpoint.siteId,
    redirect_target: null,
    created_at: now,
    updated_at: now,
  };
  await inServerDatabase(server, (db) => db.insertInto('cdn_endpoints').values(row).execute());
}

/** Makes a named organization with one member, the person with this e-mail address, and returns its id. */
export async function insertOrganization(
  server: TestServer,
  { name, email, permission }: { name: string; email: string; permission: Permission },
): Promise<string> {
  const now = Date.now();
  const id = newId(now);
  await inServerDatabase(server, async (db) => {
    await db
      .insertInto('organizations')
      .values({
        id,
        external_id: `org-${id}`,
        name,
        description: 'Maps of rivers and of the ways around them',
        website: 'https://rivers.example',
        location: 'Trois-Rivières',
        avatar_url: null,
        features: '[]',
        created_at: now,
        updated_at: now,
      })
      .execute();
    const { id: userId } = await db
      .selectFrom('users')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('memberships')
      .values({ organization_id: id, user_id: userId, permission, created_at: now })
      .execute();
  });
  return id;
}
