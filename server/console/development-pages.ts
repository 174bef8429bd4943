import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  createServer,
  isRunnableDevEnvironment,
  type RunnableDevEnvironment,
  type ViteDevServer,
} from 'vite';
import type { LoadPageBundle } from './page-renderer.ts';

/**
 * Vite inside this process: it serves the pages' modules with hot reload and runs the page bundle from
 * source.
 */
export async function createDevelopmentPages(
  root: string,
  listener: Server,
): Promise<{
  loadBundle: LoadPageBundle;
  middleware(request: IncomingMessage, response: ServerResponse, next: () => void): void;
  stop(): Promise<void>;
}> {
  const vite = await createServer({
    root,
    configFile: 'app.config.ts',
    appType: 'custom',
    // Hot reload uses the console's own listener, so there is no second port to collide or open.
    server: { middlewareMode: true, cors: false, hmr: { server: listener } },
  });
  return {
    loadBundle: () => runnableSsr(vite).runner.import('virtual:tanstack-start-server-entry'),
    middleware: (request, response, next) => vite.middlewares(request, response, next),
    stop: () => vite.close(),
  };
}

/** Requested for each page: Vite replaces its environments when its configuration changes. */
function runnableSsr(vite: ViteDevServer): RunnableDevEnvironment {
  const environment = vite.environments.ssr;
  if (!environment || !isRunnableDevEnvironment(environment)) {
    throw new Error('Vite has no runnable ssr environment');
  }
  return environment;
}
