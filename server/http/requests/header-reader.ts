import type { IncomingHttpHeaders } from 'node:http';

/**
 * What decisions need from a request's headers. Those of fetch fit, and so do Node's through {@link
 * headersOf}.
 */
export interface HeaderReader {
  /** Returns a header by its name in lower case, or null; repeated ones are joined. */
  get(name: string): string | null;
}

/**
 * Returns a reader of Node's headers that copies nothing: fetch's own cost more than looking up the actor.
 */
export function headersOf(headers: IncomingHttpHeaders): HeaderReader {
  return {
    get(name) {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : (value ?? null);
    },
  };
}
