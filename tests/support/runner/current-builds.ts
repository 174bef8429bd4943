import { ensureConsoleBuild } from '#server/console/page-build/build-console.ts';
import { createLogger } from '#server/logging/logger.ts';
import { ensureProgram } from '#server/program/compiled-program.ts';

/** Brings the pages and the compiled program up to date, which the first start would do otherwise. */
export async function ensureCurrentBuilds(root: string): Promise<void> {
  await ensureConsoleBuild(root, createLogger('warn'));
  if ((await ensureProgram(root)) === null) throw new Error('the program was not built');
}
