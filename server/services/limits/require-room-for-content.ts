import type { Executor } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { findLimits, findTotal } from './limit-queries.ts';
import { limitReached } from './require-within-limits.ts';

/**
 * Returns how many bytes an organization may still store, below zero where its limit was lowered. Content that it has
 * already takes no room, however often it is deployed.
 */
export async function findRoomForContent(
  executor: Executor,
  app: App,
  organizationId: string,
): Promise<{ room: number; limit: number }> {
  const { stored_bytes: limit } = await findLimits(executor, app, organizationId);
  return { room: limit - (await findTotal(executor, organizationId, 'stored_bytes')), limit };
}

/**
 * Goes on while there is room for new content, so that nobody sends what cannot be kept. Whoever stores it asserts the limit
 * again in the transaction that records it (require-within-limits.ts).
 * @throws limit_stored_bytes
 */
export async function requireRoomForContent(
  executor: Executor,
  app: App,
  organizationId: string,
  newBytes: number,
): Promise<void> {
  if (newBytes === 0) return;
  const { room, limit } = await findRoomForContent(executor, app, organizationId);
  if (newBytes > room) throw limitReached('stored_bytes', limit);
}
