import type { OrganizationContext } from '#server/context.ts';

/** What stops and resumes automatically is not attributed to the person who set the limit. */
export function asPlatform(context: OrganizationContext): OrganizationContext {
  return { ...context, actor: { kind: 'job', name: 'enforce-spending-limits' } };
}
