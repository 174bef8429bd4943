import type { App, RequestContext } from '#server/context.ts';

/** Returns the context of a job of the app: what the jobs process passes to its verbs. */
export function jobContext<T extends App>(app: T, name = 'test'): RequestContext & { app: T } {
  return { app, actor: { kind: 'job', name }, requestId: 'test', address: '' };
}
