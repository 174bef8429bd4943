import { type AppError, retryAfterOf } from '../errors.ts';
import type { HeaderReader } from './header-reader.ts';
import { outagePage, outagePageHeaders } from './outage-page.ts';
import { toProblemResponse } from './problem.ts';
import { doorOf } from './request-doors.ts';
import { isSafeMethod } from './require-same-origin.ts';

/** What is known about the request that failed. */
interface Failed {
  method: string;
  url: URL;
  headers: HeaderReader;
  requestId: string;
}

/**
 * Returns the response to a failed request; people who requested a page while a dependency is down get a
 * page.
 */
export function toFailureResponse(error: AppError, failed: Failed, publicUrl: string): Response {
  const { requestId, headers, url } = failed;
  if (error.code === 'service_unavailable' && isForPeople(failed)) {
    return new Response(outagePage(headers, url.search), {
      status: error.status,
      headers: { ...outagePageHeaders(retryAfterOf(error) ?? 1), 'x-request-id': requestId },
    });
  }
  return toProblemResponse(error, publicUrl, requestId);
}

/**
 * Below `/auth` and `/identity` both people and programs send requests: a browser that navigates says that it
 * wants a page.
 */
function isForPeople({ method, url, headers }: Failed): boolean {
  if (!isSafeMethod(method)) return false;
  const door = doorOf(url.pathname);
  return door === 'page' || (door === 'identity' && (headers.get('accept') ?? '').includes('text/html'));
}
