import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { countUse, findLimits, lockLimits } from './limit-queries.ts';
import { isTotalled, type LimitName } from './rules.ts';

/**
 * Requires that an organization has no more of these than it may, after something was inserted in the same
 * transaction: of two concurrent ones that would exceed a limit together, the second waits for the first and
 * is refused. What is above a lowered limit stays; nothing can be added to it.
 * @throws limit_sites and so on, with `limit` and `used` as it was before
 */
export async function requireWithinLimits(
  trx: Trx,
  app: App,
  organizationId: string,
  names: readonly LimitName[],
): Promise<void> {
  // The insert has already locked the sums, because its trigger wrote them.
  if (!names.every(isTotalled)) await lockLimits(trx, organizationId);
  const limits = await findLimits(trx, app, organizationId);
  for (const name of names) {
    const used = await countUse(trx, app, organizationId, name);
    if (used > limits[name]) throw limitReached(name, limits[name]);
  }
}

/** Returns the error of a limit. */
export function limitReached(name: LimitName, limit: number): AppError {
  return new AppError(`limit_${name}`, { limit });
}
