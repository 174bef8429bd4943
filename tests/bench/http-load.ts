import { Agent, type IncomingMessage, request } from 'node:http';

/** The repeated request. */
export interface LoadRequest {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  /** Created for each request, so that mutations differ. */
  body?: () => string;
}

export interface LoadResult {
  requestsPerSecond: number;
  /** Duration of each request in milliseconds. */
  latenciesMs: number[];
  failures: number;
}

/**
 * Keeps `connections` requests in flight for `seconds` over keep-alive connections and returns the results.
 */
export async function load(target: LoadRequest, connections: number, seconds: number): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latenciesMs: number[] = [];
  let failures = 0;
  const endsAt = performance.now() + seconds * 1000;
  const worker = async () => {
    while (performance.now() < endsAt) {
      const startedAt = performance.now();
      const status = await ask(target, agent).catch(() => 0);
      latenciesMs.push(performance.now() - startedAt);
      if (status < 200 || status >= 300) failures += 1;
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return { requestsPerSecond: latenciesMs.length / elapsedSeconds, latenciesMs, failures };
}

function ask(target: LoadRequest, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      target.url,
      { agent, method: target.method ?? 'GET', headers: target.headers },
      (response: IncomingMessage) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(target.body?.());
  });
}
