import { applyUndefined } from '#server/services/shared/wire-rules.ts';

/** A value as superjson writes it down: `meta` says what JSON lacks. */
interface WireValue {
  json: unknown;
  meta?: { values?: unknown };
}

/**
 * Reads and writes superjson, as far as our procedures need it: they take and return only JSON and
 * `undefined`, which the server ensures (server/routers/wire-transformer.ts). The library itself would be 4
 * KB of every first page.
 */
const wireValues = {
  serialize: (json: unknown): WireValue => ({ json }),
  /** @throws TypeError for any other value of superjson's */
  deserialize({ json, meta }: WireValue): unknown {
    return meta?.values === undefined ? json : applyUndefined(json, meta.values);
  },
};

export const transformer = { input: wireValues, output: wireValues };
