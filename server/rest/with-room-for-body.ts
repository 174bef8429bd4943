import type { OrganizationContext, RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { contentLengthOf } from '../http/bodies/read-body.ts';
import type { Route } from './route.ts';

/** Of large JSON bodies, such as manifests, that a process holds for one organization: some hundred of the usual size. */
export const HELD_BYTES_MAX = 32 * 1024 ** 2;
/** When a refused body may be sent again: by then some are written. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Runs work that reads the body of a request and uses it. A body that may be large counts with its announced length
 * until the work is done: parsed, it takes several times as much memory.
 * @throws organization_busy when the organization already has too many of them
 */
export async function withRoomForBody<T>(
  context: RequestContext | OrganizationContext,
  { body }: Pick<Route, 'body'>,
  request: Request,
  work: () => Promise<T>,
): Promise<T> {
  const bytesMax = body && 'bytesMax' in body ? body.bytesMax : undefined;
  if (bytesMax === undefined || !('organization' in context)) return work();
  const { id } = context.organization;
  const { bodyBytes } = context.app.deployWork;
  const bytes = Math.min(contentLengthOf(request) ?? bytesMax, bytesMax);
  if (!bodyBytes.take(id, bytes, HELD_BYTES_MAX)) {
    throw new AppError('organization_busy', { seconds: RETRY_AFTER_SECONDS });
  }
  try {
    return await work();
  } finally {
    bodyBytes.give(id, bytes);
  }
}
