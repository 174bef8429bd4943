import type { IncomingHttpHeaders } from 'node:http';

/** What decisions ask of a request's headers. Those of fetch fit, and so do {@link headersOf} Node's. */
export interface HeaderReader {
  /** Returns a header by its name in lower case, or null; repeated ones come as one text. */
  get(name: string): string | null;
}

/** Returns the reader of Node's headers, which copies nothing: fetch's own cost more than looking up who asks. */
export function headersOf(headers: IncomingHttpHeaders): HeaderReader {
  return {
    get(name) {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : (value ?? null);
    },
  };
}
