import { type IncomingHttpHeaders, request } from 'node:http';

export interface EdgeRequest {
  method?: string;
  headers?: Record<string, string>;
}

/** A response of the edge, not decoded: the bytes as they arrived. */
export interface EdgeResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
}

/** Sends one request with a given Host header, which fetch does not allow, and reads the whole response. */
export function askEdge(
  port: number,
  host: string,
  path: string,
  init: EdgeRequest = {},
): Promise<EdgeResponse> {
  return new Promise((resolve, reject) => {
    const headers = { host: `${host}:${port}`, ...init.headers };
    const sent = request(
      { host: '127.0.0.1', port, path, method: init.method ?? 'GET', headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const body = Buffer.concat(chunks);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body,
            text: body.toString('utf8'),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}
