import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../context.ts';
import { pathnameOf } from '../http/requests/pathname-of.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import { surfaceOf } from '../http/requests/request-surface.ts';
import { requestLine } from '../logging/access-log.ts';
import type { ConsoleParts } from './console-parts.ts';

/** Counts and logs a request once its response has ended. */
export function observeRequest(
  app: App,
  { metrics, accessLog }: Pick<ConsoleParts, 'metrics' | 'accessLog'>,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
): void {
  const startedAt = performance.now();
  const pathname = pathnameOf(request);
  const line = requestLine(request);
  const { socket } = request;
  const writtenBefore = socket.bytesWritten;
  response.once('close', () => {
    const ms = performance.now() - startedAt;
    const seconds = ms / 1000;
    accessLog?.write({
      ...line,
      address: info.address,
      requestId: info.requestId,
      ms,
      status: response.statusCode,
      bytes: Math.max(0, socket.bytesWritten - writtenBefore),
    });
    metrics.observeRequest(surfaceOf(pathname), response.statusCode, seconds);
    app.logger.debug(
      {
        method: request.method,
        path: pathname,
        status: response.statusCode,
        seconds,
        request_id: info.requestId,
      },
      'request',
    );
  });
}
