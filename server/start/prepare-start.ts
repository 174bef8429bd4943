import './process-defaults.ts';
import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { warnAboutSettings } from '../config/warn-about-settings.ts';
import { createApp } from '../create-app.ts';
import type { ToSupervisor } from '../supervisor/messages.ts';
import { openProcess, startOrExit } from './process-end.ts';
import { planStart, prepareData } from './start-plan.ts';
import { yieldToVisitors } from './yield-to-visitors.ts';

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
  if (config.roles.has('console')) {
    const { ensureConsoleBuild } = await import('../console/build-console.ts');
    await ensureConsoleBuild(join(import.meta.dirname, '..', '..'), logger);
  }
  const message: ToSupervisor = { type: 'plan', plan: planStart(config) };
  process.send?.(message, () => process.exit(0));
});
