import { z } from 'zod';
import { withoutUnseen } from './text-rules.ts';

/**
 * One of our identifiers: 26 characters of a lower-case ULID, or a hash. Anything else is refused here,
 * because not every text can be passed to every database (PostgreSQL refuses a zero byte).
 */
export const idSchema = z
  .string()
  .max(64)
  .regex(/^[\w-]+$/, 'must be an id');

/**
 * Half of a surrogate pair is no character: databases store another one in its place, so that what was sent is not
 * what is read.
 */
const isWhole = (text: string) => text.isWellFormed();
const NOT_WHOLE = 'must not contain half a character';

/** A name or another text on one line: no line breaks, zero bytes or other control characters. */
export const lineSchema = z
  .string()
  .trim()
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
  .refine(isWhole, NOT_WHOLE);

/** Turns the direction of the text after it, also of our own words after a name. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;
/** Anything but spaces, and letters that look like one or like nothing. */
const VISIBLE = /[^\s\p{Cf}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/u;

/**
 * The same for what other people read in a list or a sentence of ours: without characters that turn the direction of what follows, and
 * empty when nothing of it can be seen.
 */
export const shownLineSchema = z
  .string()
  .overwrite((text) => (VISIBLE.test(text) ? text.replace(DIRECTION, '') : ''))
  .trim()
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
  .refine(isWhole, NOT_WHOLE);

/** An email address as a person types or pastes it. */
export const typedEmailSchema = z
  .string()
  .overwrite(withoutUnseen)
  .trim()
  .max(254)
  .meta({ format: 'email' })
  .pipe(z.email());

/** Text of any number of lines, without zero bytes, which PostgreSQL refuses. */
export const proseSchema = z
  .string()
  .trim()
  .refine((text) => !text.includes('\0'), 'must not contain zero bytes')
  .refine(isWhole, NOT_WHOLE);

/** A time in requests and answers: ISO 8601 in UTC. */
export const instantSchema = z.iso.datetime();

/** Of a time in requests: with any sensible number of digits after the second, and an offset. */
export const INSTANT_LENGTH_MAX = 40;

/** When something came into being, in answers. */
export const createdAtSchema = instantSchema.describe('When it was created. It never changes.');

/** A picture of a person or an organization, in answers. */
export const pictureUrlSchema = z
  .string()
  .nullable()
  .describe('The address of a square picture; null if there is none.');

/** Why an operator has suspended something, in answers. */
export const suspensionReasonSchema = z
  .string()
  .nullable()
  .describe('Why the operator has suspended it, written for the members; null while it is not suspended.');

/**
 * Returns the schema of a whole number within bounds. Its digits as text are accepted too, as an address contains
 * them. Nothing else becomes a number: null or an empty text would become 0.
 */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  return z
    .custom<number>(isWholeNumber, 'must be a whole number')
    .meta({ type: 'integer', minimum: min, maximum: max })
    .transform(Number)
    .pipe(z.number().min(min).max(max));
}

function isWholeNumber(value: unknown): boolean {
  return Number.isSafeInteger(value) || (typeof value === 'string' && /^-?[0-9]{1,15}$/.test(value));
}

/** Which page of a list: `cursor` comes from the previous page. */
export const pageInputSchema = z.object({
  cursor: lineSchema.max(200).optional(),
  limit: wholeNumber(1, 200).prefault(50),
});

/** A page of a list; `next_cursor` is null on the last one. REST returns `items` and a Link header. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}

/** Returns a time as it is sent. */
export function toInstant(epochMs: number): string;
export function toInstant(epochMs: number | null): string | null;
export function toInstant(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
