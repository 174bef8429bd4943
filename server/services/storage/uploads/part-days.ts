import { sql } from 'kysely';
import { DAY_MS } from '#server/durations.ts';

/** The day (UTC) in which a part of an upload came. */
export const PART_DAY = sql<number>`(object_pieces.created_at - object_pieces.created_at % ${sql.lit(DAY_MS)})`;

/** The bytes of parts that came in one day. */
export const PART_BYTES = sql<number>`cast(sum(object_pieces.size) as bigint)`;

/** The mean instant from which those are stored, weighted by their bytes: it yields the byte-hours of all of them. */
export const PART_SINCE = sql<number>`cast(round(sum(cast(object_pieces.size as double precision)
  * object_pieces.created_at) / sum(object_pieces.size)) as bigint)`;
