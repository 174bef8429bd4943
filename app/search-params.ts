type Reader<T> = (value: unknown) => T | undefined;
type SearchOf<R extends Record<string, Reader<unknown>>> = {
  [K in keyof R]?: Exclude<ReturnType<R[K]>, undefined>;
};

/**
 * Returns a route's `validateSearch`: the named parameters, each parsed by its reader; values of another form
 * count as absent. An absent parameter is set to undefined, because the router keeps what the address says
 * under every name that is omitted. These are plain functions and not schemas on purpose: routes are in the
 * first chunk of every page, and a schema library would be a fifth of it.
 */
export function readSearch<R extends Record<string, Reader<unknown>>>(readers: R) {
  return (search: Record<string, unknown>): SearchOf<R> => {
    const entries = Object.entries(readers).map(([name, read]) => [name, read(search[name])] as const);
    // Safe: the entries are the readers' own names with the readers' own results.
    return Object.fromEntries(entries) as SearchOf<R>;
  };
}

/** Any text. The router reads `?search=42` as a number, which is text here. */
export function textParam(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What may be one of our ids (server/services/shared/schema.ts). */
export function idParam(value: unknown): string | undefined {
  const id = textParam(value);
  return id !== undefined && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}

/** `?name=true`; anything else counts as absent. */
export function flagParam(value: unknown): true | undefined {
  return value === true ? true : undefined;
}

/** `?name=true` or `?name=false`. */
export function choiceParam(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
