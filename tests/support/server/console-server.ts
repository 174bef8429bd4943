import { createServer, type Server } from 'node:http';
import { onTestFinished } from 'vitest';
import { createSignIn } from '#server/auth/create-sign-in.ts';
import { resolveActor } from '#server/auth/resolve-actor.ts';
import { createAuthRoutes } from '#server/auth/routes.ts';
import { createSessions } from '#server/auth/sessions.ts';
import { toConsoleSettings } from '#server/console/console-settings.ts';
import { answerConsole } from '#server/console/create-console.ts';
import { ensureConsoleBuild } from '#server/console/page-build/build-console.ts';
import { createPageRenderer, loadBuiltBundle, type RenderPage } from '#server/console/page-renderer.ts';
import { AppError } from '#server/errors.ts';
import { createIdentityService } from '#server/identity/create-identity-service.ts';
import { createConsoleMetrics } from '#server/metrics/console-metrics.ts';
import { createRest } from '#server/rest/dispatch.ts';
import { createTestApp, type TestApp } from '../app/test-app.ts';

export interface ConsoleServer {
  app: TestApp;
  baseUrl: string;
}

/**
 * Starts the console on a free port like the composition root, with a plain text in place of each page unless
 * it `rendersPages`.
 * Stopped after the test.
 */
export async function startConsoleServer(
  options: Parameters<typeof createTestApp>[0] & {
    /** Environment that depends on the console's own address. */
    environmentOf?: (baseUrl: string) => Promise<Record<string, string>>;
    /** Whether pages are those of the build, without their scripts and styles. */
    rendersPages?: boolean;
    /** Whether pages of signing in cannot read what they are for while they are rendered. */
    failsToDescribe?: boolean;
  } = {},
): Promise<ConsoleServer> {
  const front = createServer();
  const baseUrl = await listen(front);
  const { environmentOf, rendersPages, failsToDescribe, ...rest } = options;
  const environment = { PUBLIC_URL: baseUrl, ...rest.environment, ...(await environmentOf?.(baseUrl)) };
  const app = await createTestApp({ ...rest, environment });
  // Registered after the app, so that it is stopped before the app.
  onTestFinished(() => close(front));
  const sessions = createSessions(app);
  const identity = app.config.oidc ? null : await createIdentityService(app);
  const { client, upstream, memberships } = createSignIn(app, identity);
  const resolve = (request: Parameters<typeof resolveActor>[1]) =>
    resolveActor({ app, sessions, memberships }, request);
  answerConsole(front, app, {
    resolveActor: resolve,
    authRoutes: createAuthRoutes({ app, sessions, client, upstream }),
    rest: createRest(app, resolve),
    identity:
      identity && failsToDescribe
        ? { ...identity, describeInteraction: () => Promise.reject(new AppError('internal')) }
        : identity,
    assets: () => false,
    renderPage: rendersPages
      ? await createBuiltPages(app)
      : async (request) => new Response(`page ${new URL(request.url).pathname}`),
    metrics: createConsoleMetrics(),
    accessLog: null,
  });
  return { app, baseUrl };
}

async function createBuiltPages({ config, logger }: TestApp): Promise<RenderPage> {
  const { serverEntry } = await ensureConsoleBuild(process.cwd(), logger);
  const settings = toConsoleSettings(config, '');
  return createPageRenderer(await loadBuiltBundle(serverEntry), settings, { isDevelopment: false });
}

/** Listens on a free port of this machine until the end of the test and returns the address. */
export async function listenOnFreePort(server: Server): Promise<string> {
  const baseUrl = await listen(server);
  onTestFinished(() => close(server));
  return baseUrl;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
