import type { App } from '../../context.ts';
import { retryAfterOf } from '../../errors.ts';
import type { HeaderReader } from '../requests/header-reader.ts';
import type { RequestInfo } from '../requests/request-info.ts';
import { surfaceOf } from '../requests/request-surface.ts';
import { isSafeMethod } from '../requests/require-same-origin.ts';
import { logFailure } from './log-failure.ts';
import { outagePage, outagePageHeaders } from './outage-page.ts';
import { toProblemResponse } from './problem.ts';

/** The request that failed. */
interface Failed {
  method: string;
  url: URL;
  headers: HeaderReader;
}

/**
 * Logs what failed and returns the response to it; people who requested a page while a dependency is down get a
 * page.
 */
export function answerFailure(
  { config, logger }: App,
  error: unknown,
  failed: Failed,
  info: RequestInfo,
): Response {
  const { method, headers, url } = failed;
  const { requestId } = info;
  const appError = logFailure(logger, error, { method, path: url.pathname, ...info });
  if (appError.code === 'service_unavailable' && isForPeople(failed)) {
    return new Response(outagePage(headers, url.search), {
      status: appError.status,
      headers: { ...outagePageHeaders(retryAfterOf(appError) ?? 1), 'x-request-id': requestId },
    });
  }
  return toProblemResponse(appError, config.publicUrl, requestId);
}

/**
 * Below `/auth` and `/identity` both people and programs send requests: a browser that navigates says that it
 * accepts a page.
 */
function isForPeople({ method, url, headers }: Failed): boolean {
  if (!isSafeMethod(method)) return false;
  const surface = surfaceOf(url.pathname);
  return (
    surface === 'page' || (surface === 'identity' && (headers.get('accept') ?? '').includes('text/html'))
  );
}
