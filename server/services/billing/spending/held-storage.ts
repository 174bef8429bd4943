import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Returns an expression that is true when an organization had anything in a bucket in these days (half-open), as far as that is
 * measured, or has a bucket that may hold something. `organization` is a column of the query around it.
 */
export function heldStorage(
  organization: string,
  { start, end }: { start: number; end: number },
): RawBuilder<SqlBool> {
  const id = sql.ref(organization);
  return sql<SqlBool>`(exists(select 1 from bucket_days
      where bucket_days.organization_id = ${id} and bucket_days.day >= ${start} and bucket_days.day < ${end}
      and bucket_days.byte_hours > 0)
    or exists(select 1 from buckets
      where buckets.organization_id = ${id} and buckets.status <> 'deleting' and buckets.created_at < ${end}))`;
}
