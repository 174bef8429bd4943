import { ensureConsoleBuild } from '#server/console/build-console.ts';
import { createLogger } from '#server/logging/logger.ts';
import { refreshProgram } from '#server/program/build-program.ts';

/** Brings the pages and the compiled program up to date, which the first start would do otherwise. */
export async function ensureCurrentBuilds(root: string): Promise<void> {
  const logger = createLogger('warn');
  await ensureConsoleBuild(root, logger);
  await refreshProgram(root, logger);
}
