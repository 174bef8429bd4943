import type { App } from '../context.ts';
import { createEdge, type Edge } from '../edge/create-edge.ts';
import { DEFAULT_EDGE_LIMITS, shareOfLimits } from '../edge/edge-limits.ts';
import type { EdgeObserver } from '../edge/observer.ts';
import type { EdgePorts } from '../edge/ports.ts';
import { makeFallbackCertificate } from '../edge/tls/fallback-certificate.ts';
import { watchRole } from '../health/check-roles.ts';
import { listenAsSet } from '../http/connections/http-listener.ts';
import { pollEdgeChanges } from '../jobs/poll-edge-changes.ts';
import { repeat } from '../jobs/repeat.ts';
import { guardConnections } from '../limits/connection-budget.ts';
import { machineMemory } from '../limits/machine-memory.ts';
import { addressKey } from '../limits/rate-limits.ts';
import { createBoundedLog } from '../logging/bounded-log.ts';
import { logOutage } from '../logging/log-outage.ts';
import { handOverUsage } from '../metering/hand-over-usage.ts';
import { startMetering } from '../metering/start-metering.ts';
import type { IsStoppedHere } from '../services/billing/spending/is-over-limit.ts';
import { LimitWatch } from '../services/billing/spending/limit-watch.ts';
import { platformName } from '../services/certificates/platform-bundle.ts';
import type { EdgeChange } from '../services/edge-changes/edge-changes.ts';
import { createEdgePorts } from '../services/serving/edge-ports.ts';
import { catchUpWithChanges } from '../services/serving/knowledge/catch-up-with-changes.ts';
import { openEdgeKnowledge } from '../services/serving/knowledge/open-edge-knowledge.ts';
import { SUBJECTS } from '../supervisor/sibling-subjects.ts';
import { createEdgeObserver } from './edge-observer.ts';
import type { RunningRole } from './running-role.ts';

/**
 * Together with the two seconds in which counts are collected, a resource that reaches its spending limit is
 * stopped well within a minute.
 */
const LIMITS_EVERY_MS = 5_000;

/**
 * Starts the edge on both of its ports; changes of this machine's processes reach it immediately, those of
 * other machines by polling the change log.
 */
export async function startEdge(app: App): Promise<RunningRole> {
  const { siteUrl, sitesDomain } = app.config;
  const { siblings } = app;
  const limits = new LimitWatch({
    app,
    pending: () => metering.pending(),
    isSending: () => metering.isSending(),
    forget: (change) => forget(change),
  });
  const metering = await startMetering(app, {
    ...(!siblings.isAlone && { apply: handOverUsage(siblings) }),
    onTaken: (rows) => limits.note(rows.map(({ organization_id }) => organization_id)),
  });
  const isStopped: IsStoppedHere = (organizationId, ids) => limits.isStopped(organizationId, ids);
  const kept = await openEdgeKnowledge(app, { meterOf: metering.meterOf, isStoppedHere: isStopped });
  const seen = await createEdgeObserver(app);
  const ports = createEdgePorts(app, metering.meterOf, isStopped, kept?.knowledge);
  const edge = await createConfiguredEdge(app, ports, seen.observer);
  const forget = (change: EdgeChange) => {
    kept?.knowledge.noteChange(change);
    if (change.site_id) edge.invalidateSite(change.site_id);
    if (change.hostname) edge.invalidateHost(change.hostname);
  };
  // Changes of this process, and those that siblings report: both arrive immediately.
  const unsubscribe = app.edgeChanges.subscribe(forget);
  siblings.on(SUBJECTS.edgeChange, (change) => forget(change as EdgeChange));
  const stopPolling = await (kept === null
    ? pollEdgeChanges(app, forget)
    : pollEdgeChanges(app, forget, undefined, {
        begin: () => catchUpWithChanges(app, kept.marks, forget),
        followed: (sequence) => kept.marks.followed(sequence),
        isPatient: true,
      }));
  const watching = repeat(
    LIMITS_EVERY_MS,
    () => limits.look(),
    (error) => logOutage(app.logger, 'warn', { err: error }, 'spending limits cannot be read'),
  );
  await listenOnBothPorts(app, edge);
  watchRole(app, 'edge', () => edge.server.listening && (edge.secureServer?.listening ?? true));
  return {
    address: siteUrl(`{name}.${sitesDomain}`),
    async stop() {
      // Clients that still use a kept-alive connection see what is published meanwhile.
      await edge.close();
      unsubscribe();
      await stopPolling();
      await watching.stop();
      await metering.stop();
      await kept?.knowledge.stop();
      await seen.close();
    },
  };
}

async function createConfiguredEdge(app: App, ports: EdgePorts, observer: EdgeObserver): Promise<Edge> {
  const { siblings } = app;
  const { publicUrl, secureUrl, trustProxy } = app.config;
  return createEdge({
    observer,
    ports: {
      ...ports,
      ...(!siblings.isAlone && {
        reportLostCopy: (sha256) => siblings.tell('housekeeper', SUBJECTS.lostCopy, sha256),
      }),
    },
    logger: createBoundedLog(app.logger, app.metrics, 'edge', () => app.clock.now()),
    secure: {
      ticketSecret: app.sealer.deriveKey('edge session tickets'),
      // No site can have this name; what matters is the wildcard that covers it.
      defaultName: platformName(app).replace('*', '-'),
      fallback: await makeFallbackCertificate([platformName(app)]),
    },
    limits: {
      ...shareOfLimits(app.config.edgeProcesses, machineMemory()),
      graceMs: app.config.stopGraceMs,
      openFilesMax: Math.min(DEFAULT_EDGE_LIMITS.openFilesMax, Math.floor(app.connections.openFilesMax / 4)),
    },
    secureUrl,
    reportUrl: `${publicUrl}/report-abuse`,
    addressKey,
    trustProxy,
  });
}

async function listenOnBothPorts(app: App, { server, secureServer }: Edge): Promise<void> {
  const { bindAddress, edgeHttpPort, edgeHttpsPort } = app.config;
  guardConnections(app.connections, 'edge_http', server);
  if (secureServer !== null) guardConnections(app.connections, 'edge_https', secureServer);
  const listener = { addressSetting: 'BIND_ADDRESS', address: bindAddress };
  const plain = { ...listener, portSetting: 'EDGE_HTTP_PORT', port: edgeHttpPort };
  await listenAsSet(server, plain, app.siblings);
  if (secureServer === null) return;
  const secure = { ...listener, portSetting: 'EDGE_HTTPS_PORT', port: edgeHttpsPort };
  await listenAsSet(secureServer, secure, app.siblings);
}
