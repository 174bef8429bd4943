import { type Selectable, sql } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { BucketsTable } from '#db/schema/buckets.ts';
import type { CorsRule, PublicAccessBlock } from '#server/s3/ports.ts';
import { toInstant } from '../shared/schema.ts';
import type { Bucket } from './schema.ts';

/** A bucket with its sums as of now. */
export type BucketRow = Selectable<BucketsTable>;

/**
 * Starts a read of an organization's buckets, with the changes that have not been folded into their sums yet.
 */
export function selectBuckets(executor: Executor, organizationId: string) {
  const pending = (column: 'objects' | 'bytes') =>
    sql<number>`coalesce((select sum(${sql.ref(column)}) from bucket_changes where bucket_id = buckets.id), 0)`;
  return executor
    .selectFrom('buckets')
    .leftJoin('bucket_emptyings', 'bucket_emptyings.bucket_id', 'buckets.id')
    .selectAll('buckets')
    .select(['requested_at', 'object_total', 'removed_objects'])
    .select(pending('objects').as('pending_objects'))
    .select(pending('bytes').as('pending_bytes'))
    .where('organization_id', '=', organizationId);
}

type SummedRow = BucketRow & { pending_objects: number; pending_bytes: number } & {
  [name in 'requested_at' | 'object_total' | 'removed_objects']: number | null;
};

/** Returns a bucket of the organization, or null. */
export async function findBucket(
  executor: Executor,
  organizationId: string,
  bucketId: string,
): Promise<SummedRow | null> {
  const row = await selectBuckets(executor, organizationId).where('id', '=', bucketId).executeTakeFirst();
  return row ?? null;
}

/** Returns the row in its wire format. */
export function toBucket(row: SummedRow): Bucket {
  return {
    id: row.id,
    name: row.name,
    external_id: row.name,
    region: row.region,
    status: row.status,
    ...corsOf(row),
    public_read: isReadByAnyone(row),
    object_count: Number(row.object_count) + Number(row.pending_objects),
    stored_bytes: Number(row.stored_bytes) + Number(row.pending_bytes),
    emptying:
      row.requested_at === null
        ? null
        : {
            requested_at: toInstant(row.requested_at),
            object_total: Number(row.object_total),
            removed_objects: Number(row.removed_objects),
          },
    created_at: toInstant(row.created_at),
  };
}

/** Returns which websites may use the bucket, as the console shows it. */
export function corsOf({
  cors_rules,
}: Pick<BucketRow, 'cors_rules'>): Pick<Bucket, 'cors_enabled' | 'cors_origins'> {
  const rules = readCorsRules(cors_rules);
  return {
    cors_enabled: rules.length > 0,
    cors_origins: [...new Set(rules.flatMap((rule) => rule.allowedOrigins))],
  };
}

/** Whether anyone may read the bucket's objects: it is public, and no S3 client has restricted that. */
export function isReadByAnyone(row: Pick<BucketRow, 'public_read' | 'public_access_block'>): boolean {
  return row.public_read === 1 && !readPublicAccessBlock(row.public_access_block)?.restrictPublicBuckets;
}

/** Parses the public access block that S3 clients have set on a bucket, from its column. */
export function readPublicAccessBlock(stored: string | null): PublicAccessBlock | null {
  return stored === null ? null : JSON.parse(stored);
}

/** Returns the rules stored in a row. */
export function readCorsRules(stored: string): CorsRule[] {
  return JSON.parse(stored);
}
