import type { Server } from 'node:http';
import { createSignIn } from '../auth/create-sign-in.ts';
import { resolveActor } from '../auth/resolve-actor.ts';
import { createAuthRoutes } from '../auth/routes.ts';
import { createSessions } from '../auth/sessions.ts';
import { HttpDrain } from '../connections/http-drain.ts';
import { loadAssets } from '../console/assets.ts';
import type { ConsoleParts } from '../console/console-parts.ts';
import { toConsoleSettings } from '../console/console-settings.ts';
import { answerConsole, createConsoleServer } from '../console/create-console.ts';
import { earlierClientFolders, openConsoleBuild } from '../console/page-build/build-console.ts';
import { createPageRenderer, loadBuiltBundle } from '../console/page-renderer.ts';
import type { App } from '../context.ts';
import { listenAsSet } from '../http/connections/http-listener.ts';
import { limitRequestsAhead } from '../http/connections/limit-requests-ahead.ts';
import { createIdentityService } from '../identity/create-identity-service.ts';
import { guardConnections } from '../limits/connection-budget.ts';
import { openAccessLog } from '../logging/access-log.ts';
import { createConsoleMetrics } from '../metrics/console-metrics.ts';
import { watchDiskSpace } from '../metrics/watch-disk-space.ts';
import { watchStuckWork } from '../metrics/watch-stuck-work.ts';
import { createRest } from '../rest/dispatch.ts';
import { getCliPackage } from '../rest/packages/cli-package.ts';
import type { RunningRole } from './running-role.ts';

/** Requests of a connection that may wait for their responses; each may be a page to render. */
const REQUESTS_AHEAD_MAX = 8;

/**
 * Starts the console: pages, tRPC, REST, sign-in and, unless another issuer is configured, the embedded
 * identity service.
 * @param preparedPages the folder of the pages that this installation was started with; null when it was not prepared
 */
export async function startConsole(
  app: App,
  root: string,
  preparedPages: string | null,
): Promise<RunningRole> {
  const { config } = app;
  const sessions = createSessions(app);
  const identity = config.oidc ? null : await createIdentityService(app);
  const { client, upstream, memberships } = createSignIn(app, identity);
  const resolve: ConsoleParts['resolveActor'] = (request) =>
    resolveActor({ app, sessions, memberships }, request);
  watchStuckWork(app, app.metrics);
  watchDiskSpace(app, app.metrics);
  const accessLog = await openAccessLog(app, 'console');
  const server = createConsoleServer();
  const pages = await preparePages(app, { root, preparedPages }, server);
  answerConsole(server, app, {
    resolveActor: resolve,
    authRoutes: createAuthRoutes({ app, sessions, client, upstream }),
    rest: createRest(app, resolve),
    identity,
    metrics: createConsoleMetrics(app.metrics),
    accessLog,
    ...pages.parts,
  });
  limitRequestsAhead(server, REQUESTS_AHEAD_MAX);
  const drain = new HttpDrain(server);
  guardConnections(app.connections, 'console', server);
  const listener = {
    portSetting: 'CONSOLE_PORT',
    addressSetting:
      config.consoleBindAddress === config.bindAddress ? 'BIND_ADDRESS' : 'CONSOLE_BIND_ADDRESS',
    port: config.consolePort,
    address: config.consoleBindAddress,
  };
  await listenAsSet(server, listener, app.siblings);
  return {
    address: config.publicUrl,
    async stop() {
      await drain.run(config.stopGraceMs);
      await pages.stop();
      await accessLog?.close();
    },
  };
}

type PageParts = Pick<ConsoleParts, 'assets' | 'renderPage' | 'developmentMiddleware'>;

/** In production the built pages from memory; in development Vite in this process, with hot reload. */
async function preparePages(
  app: App,
  { root, preparedPages }: { root: string; preparedPages: string | null },
  server: Server,
): Promise<{ parts: PageParts; stop(): Promise<void> }> {
  const { config, logger } = app;
  const settings = toConsoleSettings(config, (await getCliPackage()).release);
  if (config.development) {
    const { createDevelopmentPages } = await import('../console/development-pages.ts');
    const vite = await createDevelopmentPages(root, server);
    return {
      parts: {
        assets: () => false,
        renderPage: createPageRenderer(vite.loadBundle, settings, { isDevelopment: true }),
        developmentMiddleware: vite.middleware,
      },
      stop: vite.stop,
    };
  }
  const build = await openConsoleBuild(root, preparedPages, logger);
  const loadBundle = await loadBuiltBundle(build.serverEntry);
  return {
    parts: {
      assets: await loadAssets(build.clientFolder, {
        build: build.name,
        earlier: await earlierClientFolders(build),
      }),
      renderPage: createPageRenderer(
        loadBundle,
        { ...settings, build: build.name },
        { isDevelopment: false },
      ),
    },
    stop: async () => undefined,
  };
}
