import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { migrateDatabase } from '#db/migrate.ts';
import { clockOf } from './clock.ts';
import type { Config } from './config.ts';
import { noteBillingMode } from './services/billing/note-billing-mode.ts';
import type { Part, ProcessPlan, StartPlan } from './supervisor/messages.ts';

/** Makes what every start needs before anything else: the folder of the data, and the newest schema. */
export async function prepareData(config: Config): Promise<void> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  await migrateDatabase(config.databaseUrl);
  // A machine of edges alone may have no settings of billing.
  if (!config.roles.has('console')) return;
  const db = openDatabase(config.databaseUrl);
  await noteBillingMode(db, config, clockOf(config).now());
  await db.destroy();
}

/** What is logged once everything runs; null without a console. */
export function readyMessageOf({ productName, publicUrl, roles }: Config): string | null {
  return roles.has('console') ? `${productName} is ready: open ${publicUrl}` : null;
}

/** Where the supervisor of a DATA_DIR leaves its number. */
export function pidFileOf({ dataDir }: Config): string {
  return join(dataDir, 'supervisor.pid');
}

/** Returns which processes play the roles of this machine. */
export function planStart(config: Config): StartPlan {
  return {
    processes: planProcesses(config),
    pidFile: pidFileOf(config),
    readyMessage: readyMessageOf(config),
    logLevel: config.logLevel,
  };
}

/** The housekeeper is a guest: of the jobs, else of the console, else of the name server; beside edges alone it is a process of its own. */
function planProcesses({ edgeProcesses, roles }: Config): ProcessPlan[] {
  const host = (['jobs', 'console', 'dns'] as const).find((role) => roles.has(role));
  const partsOf = (role: Part): Part[] => (role === host ? [role, 'housekeeper'] : [role]);
  const single = (['console', 'jobs', 's3', 'dns'] as const).filter((role) => roles.has(role));
  const edges = roles.has('edge')
    ? Array.from({ length: edgeProcesses }, (_, index): ProcessPlan => {
        return { name: `edge-${index + 1}`, parts: ['edge'] };
      })
    : [];
  const own: ProcessPlan[] = host ? [] : [{ name: 'housekeeper', parts: ['housekeeper'] }];
  return [...single.map((role) => ({ name: role, parts: partsOf(role) })), ...own, ...edges];
}
