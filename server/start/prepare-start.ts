import './process-defaults.ts';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { warnAboutSettings } from '../config/warn-about-settings.ts';
import { createApp } from '../create-app.ts';
import type { ToSupervisor } from '../supervisor/messages.ts';
import { loadParts } from './play-parts.ts';
import { openProcess, startOrExit } from './process-end.ts';
import { planStart, prepareData } from './start-plan.ts';

/**
 * What a start needs once, whatever processes it has: the schema, the keys and the pages. The process ends
 * when that is done.
 */
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
  const plan = planStart(config);
  if (hasCompiledTypeScript()) {
    // Otherwise each process would load Node's compiler, and keep some 20 MiB of it for as long as it runs.
    await loadParts(plan.processes.flatMap(({ parts }) => parts));
    await import('./run-process.ts');
    flushCompileCache();
  }
  const message: ToSupervisor = { type: 'plan', plan };
  process.send?.(message, () => process.exit(0));
});

/** Whether Node had to strip types here, because the compile cache did not have these files yet. */
function hasCompiledTypeScript(): boolean {
  // Node's own list of what it has loaded of itself, which its types leave out.
  const { moduleLoadList = [] } = process as { moduleLoadList?: readonly string[] };
  return moduleLoadList.some((name) => name.includes('deps/amaro'));
}
