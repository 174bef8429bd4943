import { z } from 'zod';

/** An identifier of ours: 26 characters of a lower-case ULID. Anything else simply names nothing. */
export const idSchema = z.string().min(1).max(64);

/** An instant on the wire: ISO 8601 in UTC. */
export const instantSchema = z.iso.datetime();

/** Which page of a list: `cursor` comes from the page before. */
export const pageInputSchema = z.object({
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/** A page of a list; `next_cursor` is null on the last one. REST answers `items` and a Link header. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}

/** Returns an instant as it goes over the wire. */
export function toInstant(epochMs: number): string;
export function toInstant(epochMs: number | null): string | null;
export function toInstant(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
