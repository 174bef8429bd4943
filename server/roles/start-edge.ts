import type { App } from '../context.ts';
import { createEdge } from '../edge/create-edge.ts';
import { pollEdgeChanges } from '../jobs/poll-edge-changes.ts';
import type { RunningRole } from '../main.ts';
import { createEdgePorts } from '../services/deployments/edge-ports.ts';
import { listen } from './http-listener.ts';

/** Starts the edge; changes of this process reach it at once, those of others by polling the change log. */
export async function startEdge(app: App): Promise<RunningRole> {
  const edge = createEdge({ ports: createEdgePorts(app), logger: app.logger });
  const forget = (change: { site_id: string | null; hostname: string | null }) => {
    if (change.site_id) edge.invalidateSite(change.site_id);
    if (change.hostname) edge.invalidateHost(change.hostname);
  };
  const unsubscribe = app.edgeChanges.subscribe(forget);
  const stopPolling = await pollEdgeChanges(app, forget);
  await listen(edge.server, app.config.edgeHttpPort, app.config.bindAddress);
  return {
    address: app.config.siteUrl(`{name}.${app.config.sitesDomain}`),
    async stop() {
      unsubscribe();
      await stopPolling();
      await edge.close();
    },
  };
}
