import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '../context.ts';
import type { HeaderReader } from '../http/requests/header-reader.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import type { IdentityService } from '../identity/create-identity-service.ts';
import type { AccessLog } from '../logging/access-log.ts';
import type { ConsoleMetrics } from '../metrics/console-metrics.ts';
import type { AssetHandler } from './assets.ts';
import type { RenderPage } from './page-renderer.ts';

type FetchRoute = (request: Request, info: RequestInfo) => Promise<Response | null>;

/** What the console consists of, besides what it has itself. */
export interface ConsoleParts {
  resolveActor(request: { headers: HeaderReader; method: string; address: string }): Promise<Actor>;
  authRoutes: FetchRoute;
  rest: FetchRoute;
  /** The embedded identity service; absent when another issuer is configured. */
  identity: Pick<IdentityService, 'handle' | 'describeInteraction'> | null;
  assets: AssetHandler;
  renderPage: RenderPage;
  metrics: ConsoleMetrics;
  /** Null when requests of the console are not logged. */
  accessLog: AccessLog | null;
  /** Vite's middleware in development, tried before everything else. */
  developmentMiddleware?: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
}
