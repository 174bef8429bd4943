import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import { newId } from '#server/ids.ts';
import { revisePastDays } from '#server/services/usage/past-days-revision.ts';
import type { RunningServer } from '../server/test-server.ts';

/** What an endpoint served on some past days, which no test can wait for. */
export interface PastEndpoint {
  hostname: string;
  /** By UTC day (`2026-11-21`). */
  days: Record<
    string,
    { requests: number; bytes: number; refused?: number; paths?: [string, number, number][] }
  >;
}

/** Writes what endpoints served into the database of a running server, alongside it. They have no pages. */
export async function insertPastUsage(
  server: RunningServer,
  organizationId: string,
  endpoints: readonly PastEndpoint[],
): Promise<void> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    for (const { hostname, days } of endpoints) {
      const id = newId();
      const whose = { organization_id: organizationId, resource_id: id, resource_type: 'endpoint' as const };
      const lifetime = { ...whose, name: hostname, started_at: 0, ended_at: null };
      await db.insertInto('resource_lifetimes').values(lifetime).execute();
      const series = await db
        .insertInto('usage_series')
        .values({ organization_id: organizationId, endpoint_id: id, site_id: null, key: id })
        .returning('id')
        .executeTakeFirstOrThrow();
      for (const [day, { requests, bytes, refused = 0, paths = [] }] of Object.entries(days)) {
        const at = Date.parse(day);
        const counted = {
          series_id: series.id,
          bytes_sent: bytes,
          requests,
          cache_hits: requests,
          cache_misses: 0,
          status_2xx: requests,
          status_3xx: 0,
          status_4xx: 0,
          status_5xx: 0,
          refused_requests: refused,
          refused_bytes: refused,
        };
        await db
          .insertInto('usage_hours')
          .values({ ...counted, hour: at })
          .execute();
        await db
          .insertInto('usage_days')
          .values({ ...counted, day: at })
          .execute();
        for (const [path, requests, bytes_sent] of paths) {
          await db
            .insertInto('usage_paths')
            .values({ series_id: series.id, day: at, path, requests, bytes_sent })
            .execute();
        }
      }
    }
    await inTransaction(db, (trx) => revisePastDays(trx, Date.now()));
  } finally {
    await db.destroy();
  }
}
