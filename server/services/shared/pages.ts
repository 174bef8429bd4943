import { type AppError, invalidField } from '#server/errors.ts';

/**
 * Splits rows into a page and the cursor of the next one, which is null on the last page.
 * @param rows those after the cursor, up to one more than `limit`
 * @param cursorOf what the next page begins after, by the last row of this one
 */
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
): { page: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next_cursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** The refusal of a cursor that no page of the list has returned. */
export function cursorUnknown(): AppError {
  return invalidField('cursor', 'was not returned by this list');
}

/** Returns a cursor for a place in a list sorted by a text, such as a path. */
export function toTextCursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Returns the text after which a page begins; '' for the first page. @throws invalid_input */
export function readTextCursor(cursor: string | undefined): string {
  const after = Buffer.from(cursor ?? '', 'base64url').toString();
  // No text in a list contains a zero byte, and PostgreSQL refuses to look for one.
  if (after.includes('\0') || toTextCursor(after) !== (cursor ?? '')) throw cursorUnknown();
  return after;
}

/**
 * Returns the id after which a page begins. Anything else would be sorted before or after all ids, so that a client
 * got the first page again and again, or an empty one.
 * @throws invalid_input
 */
export function readIdCursor(cursor: string): string {
  if (!/^[0-9a-z]{26}$/.test(cursor)) throw cursorUnknown();
  return cursor;
}

/** Returns the number after which a page begins. @throws invalid_input */
export function readNumberCursor(cursor: string): number {
  if (!/^[0-9]{1,15}$/.test(cursor)) throw cursorUnknown();
  return Number(cursor);
}

/** A place in a list sorted by time; the id distinguishes what happened at the same time. */
export interface TimePlace {
  at: number;
  id: string;
}

/** Returns a cursor for a place in a list sorted by time. */
export function toTimeCursor({ at, id }: TimePlace): string {
  return `${at}.${id}`;
}

/** Returns the place after which a page begins. @throws invalid_input */
export function readTimeCursor(cursor: string): TimePlace {
  const [, at, id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) throw cursorUnknown();
  return { at: Number(at), id };
}
