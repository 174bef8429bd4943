import { Agent, type IncomingMessage, request } from 'node:http';
import type { S3Keys } from '#tests/support/storage/s3-client.ts';
import { presignedPath } from '#tests/support/storage/s3-signing.ts';

const EXPIRES_SECONDS = 3_600;

/** An S3 service under load, with presigned addresses: the client costs as little as possible. */
export interface S3Target {
  port: number;
  bucket: string;
  keys: S3Keys;
}

/** Signs an address of a bucket; `path` starts after its name and may have a query. */
export function addressOf({ port, bucket, keys }: S3Target, method: string, path: string): string {
  const host = `127.0.0.1:${port}`;
  return presignedPath({ method, path: `/${bucket}${path}`, host, keys, seconds: EXPIRES_SECONDS });
}

/**
 * Sends one request and reads the response to its end.
 * @throws for any status but a success
 */
export function ask(
  { port }: Pick<S3Target, 'port'>,
  agent: Agent,
  { method, path, body }: { method: string; path: string; body?: Buffer },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-length': String(body.length) };
    const sent = request(
      { agent, host: '127.0.0.1', port, path, method, headers },
      (response: IncomingMessage) => {
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
        });
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200) resolve(bytes);
          else reject(new Error(`${method} ${path.split('?')[0]} answered ${response.statusCode}`));
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Sends this many requests over this many connections. Returns requests per second, and how long each took in
 * milliseconds.
 */
export async function load(
  target: Pick<S3Target, 'port'>,
  options: {
    connections: number;
    count: number;
    request: (index: number) => { method: string; path: string; body?: Buffer };
  },
): Promise<{ perSecond: number; latencies: number[] }> {
  const { connections, count } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const requests = Array.from({ length: count }, (_, index) => options.request(index));
  const latencies: number[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) {
      const startedAt = performance.now();
      await ask(target, agent, requests[index] ?? { method: 'GET', path: '/' });
      latencies.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  return { perSecond: count / seconds, latencies };
}
