import type { Executor } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { countUse, findLimits } from './limit-queries.ts';
import type { LimitName } from './rules.ts';

/** Returns how much of something an organization has, and how much it may have. */
export async function findUse(
  executor: Executor,
  app: App,
  organizationId: string,
  name: LimitName,
): Promise<{ used: number; limit: number }> {
  const limits = await findLimits(executor, app, organizationId);
  return { used: await countUse(executor, app, organizationId, name), limit: limits[name] };
}
