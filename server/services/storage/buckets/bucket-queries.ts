import type { Executor } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import type { S3Access, S3Bucket } from '#server/s3/ports.ts';
import { isOverLimit } from '../../billing/spending/is-over-limit.ts';
import { readCorsRules, readPublicAccessBlock } from '../queries.ts';

const selectBucket = preparedQuery((executor, name: string) =>
  executor
    .selectFrom('buckets')
    .innerJoin('organizations', 'organizations.id', 'buckets.organization_id')
    .selectAll('buckets')
    .select('organizations.suspended_at')
    // Looked up for public buckets alone: the clients of others are stopped by their credentials.
    .select((eb) =>
      eb
        .case()
        .when('buckets.public_read', '=', 1)
        .then(isOverLimit('buckets.organization_id', []))
        .end()
        .as('is_over_limit'),
    )
    .where('buckets.name', '=', name)
    .where('buckets.status', '=', 'active')
    .where('organizations.detached_at', 'is', null),
);

/** Returns an active bucket as the S3 service sees it; null when there is none of this name. */
export async function findBucket(executor: Executor, name: string): Promise<S3Bucket | null> {
  const [row] = await selectBucket(executor, name);
  if (row === undefined) return null;
  return toS3Bucket(row, { isStopped: row.suspended_at !== null || Boolean(row.is_over_limit) });
}

/** Returns the buckets that a credential reaches, by name. */
export async function listReachedBuckets(executor: Executor, access: S3Access): Promise<S3Bucket[]> {
  const rows = await executor
    .selectFrom('buckets')
    .selectAll()
    .where('organization_id', '=', access.ownerId)
    .where('status', '=', 'active')
    .orderBy('name')
    .execute();
  const reached = rows.filter(({ id }) => access.mayReach(id, 'read'));
  return reached.map((row) => toS3Bucket(row, { isStopped: false }));
}

function toS3Bucket(
  row: {
    id: string;
    name: string;
    region: string;
    organization_id: string;
    created_at: number;
    cors_rules: string;
    tags: string;
    public_read: number;
    public_access_block: string | null;
  },
  { isStopped }: { isStopped: boolean },
): S3Bucket {
  const isPublic = row.public_read === 1;
  return {
    id: row.id,
    name: row.name,
    region: row.region,
    ownerId: row.organization_id,
    createdAt: row.created_at,
    corsRules: readCorsRules(row.cors_rules),
    tags: JSON.parse(row.tags),
    isPublic,
    publicAccessBlock: readPublicAccessBlock(row.public_access_block),
    isServedToAnyone: isPublic && !isStopped,
  };
}
