import { createServer } from 'node:http';
import type { App } from '../context.ts';
import { answerHealth } from '../health/answer-health.ts';
import type { Readiness } from '../health/check-readiness.ts';
import { listenAsSet } from '../http/connections/http-listener.ts';
import { limitRequestsAhead } from '../http/connections/limit-requests-ahead.ts';
import { logFailure } from '../http/failures/log-failure.ts';
import { clientAddress } from '../http/requests/client-address.ts';
import { pathnameOf } from '../http/requests/pathname-of.ts';
import type { RunningRole } from './running-role.ts';

/** Requests of a connection that may wait for their responses. */
const REQUESTS_AHEAD_MAX = 4;

const REQUEST_MS = 10_000;
const CONNECTIONS_MAX = 100;

/**
 * Answers `/healthz`, `/readyz` and `/metrics` for a whole machine at HEALTH_PORT, whatever roles it has.
 */
export async function startHealthListener(
  app: App,
  port: number,
  checkReadiness: () => Promise<Readiness>,
): Promise<RunningRole> {
  const { config, logger } = app;
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      const pathname = pathnameOf(request);
      // There is no proxy in front of this port: the peer's address is the client's.
      const address = clientAddress(request, false);
      answerHealth(app, checkReadiness, request, response, { pathname, address }).then(
        (isAnswered) => {
          if (!isAnswered) response.writeHead(404).end();
        },
        (error: unknown) => {
          logFailure(logger, error, {
            method: request.method ?? '',
            path: pathname,
            address,
            requestId: '',
          });
          if (response.headersSent) response.destroy();
          else response.writeHead(500).end();
        },
      );
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  limitRequestsAhead(server, REQUESTS_AHEAD_MAX);
  await listenAsSet(
    server,
    {
      portSetting: 'HEALTH_PORT',
      addressSetting: 'HEALTH_BIND_ADDRESS',
      port,
      address: config.healthBindAddress,
    },
    app.siblings,
  );
  return {
    address: null,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
