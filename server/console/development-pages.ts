import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, isRunnableDevEnvironment } from 'vite';
import type { LoadPageBundle } from './page-renderer.ts';

/** Vite inside this process: it serves the pages' modules with hot reload and runs the page bundle from source. */
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
    // Hot reload speaks over the console's own listener: no second port to collide or to open.
    server: { middlewareMode: true, cors: false, hmr: { server: listener } },
  });
  const environment = vite.environments.ssr;
  if (!environment || !isRunnableDevEnvironment(environment))
    throw new Error('Vite has no runnable ssr environment');
  return {
    loadBundle: () => environment.runner.import('virtual:tanstack-start-server-entry'),
    middleware: (request, response, next) => vite.middlewares(request, response, next),
    stop: () => vite.close(),
  };
}
