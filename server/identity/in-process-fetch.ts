import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { duplexPair } from 'node:stream';

export interface InProcessRequest {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
}

export type InProcessFetch = (url: string, options: InProcessRequest) => Promise<Response>;

/**
 * Returns a fetch that passes requests to a handler of this process over a pair of streams: real HTTP without
 * a network, so that it works when the server itself cannot reach PUBLIC_URL.
 */
export function createInProcessFetch(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): InProcessFetch {
  const server = createServer(handler);
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const [near, far] = duplexPair();
      server.emit('connection', far);
      const { host, pathname, search } = new URL(url);
      const text = body === undefined || body === null ? '' : String(body);
      const outgoing = request(
        {
          method,
          path: `${pathname}${search}`,
          headers: {
            ...headers,
            host,
            'content-length': String(Buffer.byteLength(text)),
            connection: 'close',
          },
          createConnection: () => near,
          ...(signal ? { signal } : {}),
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const pairs = Object.entries(incoming.headersDistinct).flatMap(([name, values]) =>
              (values ?? []).map((value): [string, string] => [name, value]),
            );
            const status = incoming.statusCode ?? 502;
            const hasBody = status !== 204 && status !== 304;
            resolve(new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers: pairs }));
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(text);
    });
}
