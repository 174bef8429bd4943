import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import type { App, OrganizationContext } from '#server/context.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { deployTestFiles } from '../app/deploy.ts';
import { createTestApp } from '../app/test-app.ts';
import { createTestPerson } from '../app/test-person.ts';

/** A site whose requests are counted separately from those of all others. */
export interface MeteredSite {
  id: string;
  host: string;
}

/** A database and a store that this process shares with edges in processes of their own. */
export interface MeteredWorld {
  app: App;
  context: OrganizationContext;
  /** The environment of those processes. */
  environment: Record<string, string>;
  createSites(count: number): Promise<MeteredSite[]>;
  /** The requests recorded in the database, by host. */
  countedByHost(sites: readonly MeteredSite[]): Promise<Map<string, number>>;
}

/** Returns such a world in a folder, with a database of its own unless one is given. Ends after the test. */
export async function createMeteredWorld(
  folder: string,
  databaseUrl = `sqlite:${join(folder, 'shared.sqlite')}`,
): Promise<MeteredWorld> {
  const db = openDatabase(databaseUrl);
  await migrateToLatest(db);
  await db.destroy();
  const environment = {
    DATABASE_URL: databaseUrl,
    OBJECT_STORE_URL: `file:${join(folder, 'blobs')}`,
    MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const app = await createTestApp({ environment });
  const { context } = await createTestPerson(app);
  return {
    ...{ app, context, environment },
    async createSites(count) {
      const sites: MeteredSite[] = [];
      for (let number = 0; number < count; number += 1) {
        const site = await createSite(context, { name: `Site ${number}` });
        if (number % 12 === 0) await deployTestFiles(context, site.id, { 'index.html': 'x'.repeat(2_000) });
        sites.push({ id: site.id, host: new URL(site.subdomain_url).hostname });
      }
      return sites;
    },
    async countedByHost(sites) {
      const rows = await app.db
        .selectFrom('usage_days')
        .innerJoin('usage_series', 'usage_series.id', 'usage_days.series_id')
        .select((eb) => ['site_id', eb.fn.sum<number>('requests').as('requests')])
        .groupBy('site_id')
        .execute();
      const counted = new Map(rows.map(({ site_id, requests }) => [site_id, Number(requests)]));
      return new Map(sites.map(({ id, host }) => [host, counted.get(id) ?? 0]));
    },
  };
}
