import { rm } from 'node:fs/promises';

/**
 * Removes a folder with all that is in it, if it is there. What a request that was still at work writes into it
 * meanwhile is removed at another attempt.
 */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
