import type { Executor } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { findLimits, findTotal } from './limit-queries.ts';
import { limitReached } from './require-within-limits.ts';

/**
 * Returns how many bytes an organization may still store, negative when its limit was lowered. Content that
 * it already has takes no room, however often it is deployed.
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
 * Requires room for new content, so that clients do not send what cannot be kept. The transaction that
 * records it checks the limit again (require-within-limits.ts).
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
