import type { IncomingMessage } from 'node:http';
import { HttpDrain } from '../connections/http-drain.ts';
import type { App } from '../context.ts';
import { watchRole } from '../health/check-roles.ts';
import { cutSlowClients } from '../http/connections/cut-slow-clients.ts';
import { listenAsSet } from '../http/connections/http-listener.ts';
import { limitRequestsAhead } from '../http/connections/limit-requests-ahead.ts';
import { lingerAfterResponse } from '../http/connections/linger.ts';
import { clientAddress } from '../http/requests/client-address.ts';
import { newId } from '../ids.ts';
import { guardConnections } from '../limits/connection-budget.ts';
import { machineMemory } from '../limits/machine-memory.ts';
import { PublicReads } from '../limits/public-reads.ts';
import { addressKey } from '../limits/rate-limits.ts';
import { openAccessLog, requestLine } from '../logging/access-log.ts';
import { createBoundedLog } from '../logging/bounded-log.ts';
import { createStorageMeter } from '../metering/storage-meter.ts';
import { showS3Figures } from '../metrics/s3-metrics.ts';
import { createS3Server, type S3ResponseSummary } from '../s3/create-s3-server.ts';
import { MemoryShares } from '../s3/memory-shares.ts';
import { COST_PER_TURN } from '../s3/turns.ts';
import { REGION } from '../services/storage/rules.ts';
import { createS3Ports } from '../services/storage/s3-ports.ts';
import { turnsOfAskers } from '../services/storage/turns-of-askers.ts';
import { applyStorageBatch } from '../services/usage/apply-storage-batch.ts';
import type { RunningRole } from './running-role.ts';

/** Requests of a connection that may wait for their responses. */
const REQUESTS_AHEAD_MAX = 32;
/** What requests may hold of the memory: an eighth, and no more than the heap of a process bears. */
const MEMORY_PART = 1 / 8;
const MEMORY_BYTES_MAX = 1024 ** 3;
/** Of it, what those hold that nobody has signed. */
const STRANGERS_PART = 1 / 4;

/** Starts the S3 service. @throws ConfigError when it cannot listen at its configured address */
export async function startS3(app: App): Promise<RunningRole> {
  const { config, connections, logger, metrics, siblings } = app;
  const log = createBoundedLog(logger, metrics, 's3', () => app.clock.now());
  const meter = createStorageMeter({
    apply: (batch) => applyStorageBatch(app, batch),
    logger,
    now: () => app.clock.now(),
  });
  const accessLog = await openAccessLog(app, 's3');
  const showResponse = showS3Figures(metrics);
  const logResponse = (request: IncomingMessage, response: S3ResponseSummary) =>
    accessLog?.write({
      address: clientAddress(request, config.trustProxy),
      ...requestLine(request),
      ...response,
      requestId: response.id,
    });
  const publicReads = new PublicReads();
  const clientOf = (request: IncomingMessage) => addressKey(clientAddress(request, config.trustProxy));
  const memoryBytes = Math.min(MEMORY_BYTES_MAX, MEMORY_PART * machineMemory());
  const server = createS3Server({
    onAnswered(request, response) {
      showResponse(response);
      logResponse(request, response);
    },
    ports: createS3Ports(app, {
      count: meter.count,
      reportFailure: (err, request_id) => log.error({ err, request_id }, 'an S3 request failed'),
    }),
    settings: {
      domain: config.s3Domain,
      region: REGION,
      scheme: config.s3Url.startsWith('https:') ? 'https' : 'http',
      consoleOrigin: new URL(config.publicUrl).origin,
    },
    now: () => app.clock.now(),
    newRequestId: newId,
    clientOf,
    turns: turnsOfAskers(COST_PER_TURN),
    memory: {
      clients: new MemoryShares(memoryBytes * STRANGERS_PART),
      owners: new MemoryShares(memoryBytes * (1 - STRANGERS_PART)),
    },
    admit: (request, response) => connections.admitRequest(clientOf(request), response),
    admitPublicRead: (name, request, response) =>
      publicReads.admit(name, clientAddress(request, config.trustProxy), response, app.clock.now()),
  });
  limitRequestsAhead(server, REQUESTS_AHEAD_MAX);
  server.prependListener('request', lingerAfterResponse);
  cutSlowClients(server, () => undefined);
  const drain = new HttpDrain(server);
  guardConnections(connections, 's3', server);
  const listener = {
    portSetting: 'S3_PORT',
    addressSetting: config.s3BindAddress === config.bindAddress ? 'BIND_ADDRESS' : 'S3_BIND_ADDRESS',
    port: config.s3Port,
    address: config.s3BindAddress,
  };
  await listenAsSet(server, listener, siblings);
  watchRole(app, 's3', () => server.listening);
  return {
    address: config.s3Url,
    async stop() {
      await drain.run(config.stopGraceMs);
      await meter.stop();
      await accessLog?.close();
    },
  };
}
