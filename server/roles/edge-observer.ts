import type { App } from '../context.ts';
import type { EdgeObserver } from '../edge/observer.ts';
import { readForwardedAddress } from '../limits/read-forwarded-address.ts';
import { openAccessLog } from '../logging/access-log.ts';
import { showEdgeFigures } from '../metrics/edge-metrics.ts';

/** Returns the observer of an edge's responses: its metrics, and the access log if configured. */
export async function createEdgeObserver(
  app: App,
): Promise<{ observer: EdgeObserver; close(): Promise<void> }> {
  const figures = showEdgeFigures(app.metrics);
  const log = await openAccessLog(app, 'edge');
  if (log === null) return { observer: figures, close: async () => undefined };
  const { trustProxy } = app.config;
  return {
    observer: {
      answered(request, response, bytes, ms, client) {
        figures.answered(request, response, bytes, ms, client);
        const { method, host, target, referer, userAgent, forwardedFor } = request;
        const named = trustProxy ? forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim() : '';
        const address = readForwardedAddress(named) ?? client.remoteAddress ?? '';
        const { status, isCacheHit } = response;
        log.write({ address, method, host, target, status, bytes, ms, referer, userAgent, isCacheHit });
      },
    },
    close: () => log.close(),
  };
}
