import type { z } from 'zod';

/** What each of a builder's methods returns: a builder with one more part. */
type Extend = (part: unknown) => object;

const EXTENDING: ReadonlySet<PropertyKey> = new Set(['input', 'output', 'use', 'meta', 'concat']);

/**
 * Returns a builder of procedures that parses synchronously. tRPC parses asynchronously when a schema can,
 * and then zod walks the schema for each value; otherwise it runs the code that it has generated for the
 * schema, which takes a quarter of the time. None of our schemas is asynchronous.
 */
export function parsingAtOnce<B extends object>(builder: B): B {
  return new Proxy(builder, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (!EXTENDING.has(name) || typeof value !== 'function') return value;
      const extend: Extend = (part) => value.call(target, part);
      const isSchema = name === 'input' || name === 'output';
      return (part: unknown) => parsingAtOnce(extend(isSchema ? atOnce(part as z.ZodType) : part));
    },
  });
}

/** The same schema without `parseAsync`, which tRPC prefers. All schemas of our procedures are zod's. */
function atOnce(schema: z.ZodType): z.ZodType {
  return Object.create(schema, { parseAsync: { value: undefined } });
}
