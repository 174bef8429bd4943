import type { App } from '#server/context.ts';
import { noteLostFile } from '../blobs/scrub-files.ts';
import { remakeCopies } from './remake-copies.ts';

/** How many lost copies may wait; edges that miss more report them again. */
const WAITING_MAX = 1_000;

/**
 * Returns a repairer that recreates lost encoded copies in the background, one blob at a time, and records
 * lost files, which only their owners can send again.
 */
export function createCopyRepair(app: App): { repair(sha256: string): void } {
  const waiting = new Set<string>();
  let isWorking = false;
  const work = async (): Promise<void> => {
    isWorking = true;
    for (const sha256 of waiting) {
      try {
        if (!(await noteLostFile(app, sha256)) && (await remakeCopies(app, sha256)))
          app.logger.warn({ sha256 }, 'lost encoded copies were recreated');
      } catch (error) {
        app.logger.error({ err: error, sha256 }, 'a lost encoded copy cannot be recreated now');
      }
      waiting.delete(sha256);
    }
    isWorking = false;
  };
  return {
    repair(sha256) {
      if (waiting.size >= WAITING_MAX) return;
      waiting.add(sha256);
      if (!isWorking) void work();
    },
  };
}
