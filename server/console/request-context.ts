import type { App, RequestContext } from '../context.ts';
import type { HeaderReader } from '../http/requests/header-reader.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import type { ConsoleParts } from './console-parts.ts';

/** Returns the context of a request, for the person or program that its headers identify. */
export async function contextOf(
  app: App,
  { resolveActor }: Pick<ConsoleParts, 'resolveActor'>,
  { method, headers }: { method: string; headers: HeaderReader },
  { address, requestId }: RequestInfo,
): Promise<RequestContext> {
  const actor = await resolveActor({ headers, method, address });
  return { app, actor, requestId, address };
}
