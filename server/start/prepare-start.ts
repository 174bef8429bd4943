import './process-defaults.ts';
import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { warnAboutSettings } from '../config/warn-about-settings.ts';
import { createApp } from '../create-app.ts';
import type { Logger } from '../logging/logger.ts';
import type { ToSupervisor } from '../supervisor/messages.ts';
import { RELOAD_SIGNALS } from '../supervisor/reload-signals.ts';
import { openProcess, startOrExit } from './process-end.ts';
import { planStart, prepareData } from './start-plan.ts';
import { yieldToVisitors } from './yield-to-visitors.ts';

// The supervisor decides what these mean, and has this process end when it stops.
for (const signal of RELOAD_SIGNALS) process.on(signal, () => undefined);

/**
 * What a start needs once, whatever processes it has: the schema, the keys and the pages. The process ends
 * when that is done.
 */
yieldToVisitors();
const { config, logger } = openProcess('start');
warnAboutSettings(config, logger, process.env);
await startOrExit(logger, async () => {
  await prepareData(config, logger);
  const db = openDatabase(config.databaseUrl);
  // This creates what is missing: the master key with its check value, and the local authority.
  await createApp(config, db, logger);
  await db.destroy();
  const pages = config.roles.has('console') ? await ensurePages(logger) : null;
  const message: ToSupervisor = { type: 'plan', plan: { ...planStart(config), pages } };
  process.send?.(message, () => process.exit(0));
});

async function ensurePages(logger: Logger): Promise<string> {
  const { ensureConsoleBuild } = await import('../console/page-build/build-console.ts');
  const { folder } = await ensureConsoleBuild(join(import.meta.dirname, '..', '..'), logger);
  return folder;
}
