import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../context.ts';
import { OUTAGE_RETRY_SECONDS } from '../errors.ts';
import { collectMetrics } from '../metrics/collect-metrics.ts';
import { describeProcesses, type Readiness } from './check-readiness.ts';
import { mayReadMetrics } from './may-read-metrics.ts';

/**
 * Answers `/healthz` (the process runs), `/readyz` (its dependencies respond) and `/metrics` (the metrics of
 * every process on this machine); returns false for every other path. `address` is the client's.
 */
export async function answerHealth(
  app: App,
  checkReadiness: () => Promise<Readiness>,
  request: IncomingMessage,
  response: ServerResponse,
  { pathname, address }: { pathname: string; address: string },
): Promise<boolean> {
  const sendJson = (status: number, body: unknown) => {
    const text = JSON.stringify(body);
    const length = { 'content-length': Buffer.byteLength(text) };
    if (status === 503) response.setHeader('retry-after', OUTAGE_RETRY_SECONDS);
    response
      .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...length })
      .end(text);
  };
  switch (pathname) {
    case '/healthz':
      sendJson(200, { status: 'ok' });
      return true;
    case '/readyz': {
      const { isReady, checks } = await checkReadiness();
      const processes = await describeProcesses(app.siblings);
      const states = [...Object.values(checks), ...Object.values(processes.processes ?? {})];
      const isWhole = states.every((state) => state === 'ok');
      const status = isReady ? (isWhole ? 'ok' : 'degraded') : 'failed';
      sendJson(isReady ? 200 : 503, { status, checks, ...processes });
      return true;
    }
    case '/metrics':
      if (!mayReadMetrics(app.config.metricsToken, request.headers, address)) {
        sendJson(403, { status: 'forbidden' });
        return true;
      }
      response.writeHead(200, { 'content-type': app.metrics.contentType });
      response.end(await collectMetrics(app));
      return true;
    default:
      return false;
  }
}
