import type { Executor } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
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

/** When content may be sent again that what else arrives leaves no room for: by then some of that has arrived. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Counts new content while it arrives, within the room of its organization, and returns the function that ends that.
 * @param ownBytes what the same request has counted already
 * @throws limit_stored_bytes; organization_busy when what other requests send would take the room
 */
export function takeRoom(
  app: App,
  organizationId: string,
  content: { sha256: string; size: number },
  { room, limit, ownBytes = 0 }: { room: number; limit: number; ownBytes?: number },
): () => void {
  if (content.size > 0 && ownBytes + content.size > room) throw limitReached('stored_bytes', limit);
  const end = app.deployWork.arriving.take(organizationId, content, room);
  if (end === null) throw new AppError('organization_busy', { seconds: RETRY_AFTER_SECONDS });
  return end;
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
