import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { PublishersTable } from '#db/schema/publishers.ts';
import { toInstant } from '../shared/schema.ts';
import { branchOf } from './rules.ts';
import type { Publisher } from './schema.ts';

export type PublisherRow = Selectable<PublishersTable>;

/** Returns the publishers of a site, oldest first. */
export function findPublishers(executor: Executor, siteId: string): Promise<PublisherRow[]> {
  return executor
    .selectFrom('publishers')
    .selectAll()
    .where('site_id', '=', siteId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Returns the row as it goes over the wire. */
export function toPublisher(row: PublisherRow): Publisher {
  return {
    id: row.id,
    site_id: row.site_id,
    issuer: row.issuer,
    repository: row.repository,
    branch: branchOf(row.ref),
    environment: row.environment,
    may_publish: row.may_publish === 1,
    created_at: toInstant(row.created_at),
    last_used_at: toInstant(row.last_used_at),
  };
}
