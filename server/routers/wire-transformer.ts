import type { CombinedDataTransformer } from '@trpc/server';
import superjson, { type SuperJSONResult } from 'superjson';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { applyUndefined } from '../services/shared/wire-rules.ts';

/**
 * Does what superjson does, with a shortcut for responses that are already JSON: nearly all of ours, and
 * superjson takes ten times as long to find that out. Clients may use superjson itself and see no difference.
 * From clients, only JSON and `undefined` are accepted, which is all that our inputs contain. The rest of
 * superjson lets a few bytes create an array of any length (`typed-array`), a number of a million digits, a
 * regular expression or a path through anything.
 */
export const wireTransformer: CombinedDataTransformer = {
  input: { serialize: (value: unknown) => superjson.serialize(value), deserialize: readInput },
  output: {
    serialize: (value: unknown): SuperJSONResult =>
      isPlainJson(value) ? { json: value } : superjson.serialize(value),
    deserialize: (value: SuperJSONResult) => superjson.deserialize(value),
  },
};

type Plain = SuperJSONResult['json'];

/**
 * Whether JSON carries a value without loss. Answers have been parsed by their schemas, so they are never
 * circular.
 */
function isPlainJson(value: unknown): value is Plain {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      return value === null || isPlainContainer(value);
    default:
      return false;
  }
}

function isPlainContainer(value: object): boolean {
  if (Array.isArray(value)) return value.every(isPlainJson);
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key in value) if (!isPlainJson(value[key as keyof typeof value])) return false;
  return true;
}

/**
 * How superjson encodes what JSON cannot: `meta.values` has the same shape as the value, or names paths with
 * dots.
 */
const inputSchema = z.object({
  json: z.unknown().optional(),
  meta: z.object({ values: z.unknown().optional(), v: z.unknown().optional() }).optional(),
});

/**
 * Characters of JSON, enough for hundreds of fields that are undefined. A body may be sixteen times as long, and reading paths takes thirty
 * times as long as parsing them.
 */
const ANNOTATIONS_LENGTH_MAX = 16 * 1024;

/**
 * Returns an input as the client intended it. Annotations of equal references do not change the value.
 * @throws invalid_input
 */
function readInput(payload: unknown): unknown {
  if (payload === undefined) return undefined;
  const { json, meta } = inputSchema.parse(payload);
  if (meta?.values === undefined) return json;
  if (JSON.stringify(meta.values).length > ANNOTATIONS_LENGTH_MAX) {
    throw new AppError('invalid_input', { reason: 'the annotations are too long' });
  }
  try {
    return applyUndefined(json, meta.values);
  } catch {
    throw new AppError('invalid_input', {
      reason: 'send JSON values; undefined is the only other value accepted',
    });
  }
}
