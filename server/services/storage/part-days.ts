import { sql } from 'kysely';
import { DAY_MS } from '#server/durations.ts';

/** The day (UTC) in which a part of an upload came. */
export const PART_DAY = sql<number>`(object_pieces.created_at - object_pieces.created_at % ${sql.lit(DAY_MS)})`;

/** The bytes of parts that came in one day. */
export const PART_BYTES = sql<number>`cast(sum(object_pieces.size) as bigint)`;

/** Since when those are stored, in the mean by their bytes: within a day that comes to the byte-hours of each of them. */
export const PART_SINCE = sql<number>`cast(round(sum(cast(object_pieces.size as double precision)
  * object_pieces.created_at) / sum(object_pieces.size)) as bigint)`;
