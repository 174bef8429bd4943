import type { EdgeReply } from './edge-exchange.ts';
import type { EdgePorts } from './ports.ts';

/** Tells metering about an answer, when anyone listens. */
export function recordReply(onRequest: EdgePorts['onRequest'], reply: EdgeReply, bodyBytes: number): void {
  if (onRequest === undefined) return;
  const { entry, status, isCacheHit } = reply;
  const host = entry?.host ?? null;
  onRequest({
    siteId: host === null || host.kind === 'redirect' ? null : host.siteId,
    endpointId: host?.endpointId ?? null,
    hostname: entry?.hostname ?? '',
    status,
    bodyBytes,
    isCacheHit,
  });
}
