import { createBoundedLog } from '../bounded-log.ts';
import { guardConnections } from '../connection-budget.ts';
import type { App } from '../context.ts';
import { createEdge } from '../edge/create-edge.ts';
import { defaultEdgeLimits } from '../edge/edge-limits.ts';
import { makeFallbackCertificate } from '../edge/fallback-certificate.ts';
import { pollEdgeChanges } from '../jobs/poll-edge-changes.ts';
import type { RunningRole } from '../main.ts';
import { startMetering } from '../metering/start-metering.ts';
import { addressKey } from '../rate-limits.ts';
import { platformName } from '../services/certificates/platform-bundle.ts';
import { createEdgePorts } from '../services/deployments/edge-ports.ts';
import { listen } from './http-listener.ts';

/** Starts the edge on both of its ports; changes of this process reach it at once, those of others by polling the change log. */
export async function startEdge(app: App): Promise<RunningRole> {
  const { bindAddress, edgeHttpPort, edgeHttpsPort, secureUrl, siteUrl, sitesDomain, trustProxy } =
    app.config;
  const metering = await startMetering(app);
  const edge = createEdge({
    ports: createEdgePorts(app, metering.meterOf),
    logger: createBoundedLog(app.logger, app.metrics, 'edge', () => app.clock.now()),
    secure: {
      ticketSecret: app.sealer.deriveKey('edge session tickets'),
      // No site can have this name; what counts is the wildcard that covers it.
      defaultName: platformName(app).replace('*', '-'),
      fallback: await makeFallbackCertificate([platformName(app)]),
    },
    limits: {
      graceMs: app.config.stopGraceMs,
      openFilesMax: Math.min(defaultEdgeLimits.openFilesMax, Math.floor(app.connections.openFilesMax / 4)),
    },
    secureUrl,
    addressKey,
    trustProxy,
  });
  const forget = (change: { site_id: string | null; hostname: string | null }) => {
    if (change.site_id) edge.invalidateSite(change.site_id);
    if (change.hostname) edge.invalidateHost(change.hostname);
  };
  const unsubscribe = app.edgeChanges.subscribe(forget);
  const stopPolling = await pollEdgeChanges(app, forget);
  guardConnections(app.connections, 'edge_http', edge.server);
  if (edge.secureServer !== null) guardConnections(app.connections, 'edge_https', edge.secureServer);
  await listen(edge.server, edgeHttpPort, bindAddress);
  if (edge.secureServer !== null) await listen(edge.secureServer, edgeHttpsPort, bindAddress);
  return {
    address: siteUrl(`{name}.${sitesDomain}`),
    async stop() {
      unsubscribe();
      await stopPolling();
      await edge.close();
      await metering.stop();
    },
  };
}
