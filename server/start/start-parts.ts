import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { readsOnly } from '../../db/reads-only.ts';
import type { Config } from '../config/config.ts';
import type { App } from '../context.ts';
import { createApp } from '../create-app.ts';
import { connectionsThatFit, logConnectionBudget } from '../limits/connection-budget.ts';
import { machineMemory } from '../limits/machine-memory.ts';
import { createBoundedLog } from '../logging/bounded-log.ts';
import type { Logger } from '../logging/logger.ts';
import { addProcessMetrics } from '../metrics/process-metrics.ts';
import type { RunningRole } from '../roles/running-role.ts';
import { isKnowledgeKept } from '../services/serving/knowledge/open-edge-knowledge.ts';
import type { Part } from '../supervisor/messages.ts';
import type { Siblings } from '../supervisor/siblings.ts';
import { connectSiblings } from './connect-siblings.ts';
import { logUncaughtErrors } from './log-uncaught-errors.ts';
import { waitForDatabase } from './wait-for-database.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The parts of a process, and what they need from outside it. */
interface ProcessParts {
  parts: ReadonlySet<Part>;
  siblings: Siblings;
  /** The folder of the pages that the supervisor was started with; null when those of the current sources are right. */
  pages: string | null;
}

/** Starts a part of a process. */
type Start = (app: App, pages: string | null) => Promise<RunningRole>;

/** What a process loads for each part, and only for its own parts. They start in this order. */
const LOADS: Record<Part, () => Promise<Start>> = {
  housekeeper: async () => (await import('../roles/start-housekeeper.ts')).startHousekeeper,
  edge: async () => (await import('../roles/start-edge.ts')).startEdge,
  s3: async () => (await import('../roles/start-s3.ts')).startS3,
  dns: async () => (await import('../roles/start-dns.ts')).startDns,
  jobs: async () => (await import('../roles/start-jobs.ts')).startJobs,
  console: async () => {
    const { startConsole } = await import('../roles/start-console.ts');
    return (app, pages) => startConsole(app, ROOT, pages);
  },
};

/** The parts whose connections the budget counts. */
const HAS_COUNTED_LISTENERS: ReadonlySet<Part> = new Set(['console', 'edge', 's3']);

/**
 * Starts the parts of this process on a migrated database. Resolves, once all are ready, with a
 * function that stops them.
 */
export async function startParts(
  settings: Config,
  logger: Logger,
  { parts, siblings, pages }: ProcessParts,
): Promise<() => Promise<void>> {
  const config = {
    ...settings,
    trustProxy: isBehindProxy(settings, parts),
    connectionsMax: Math.min(settings.connectionsMax, connectionsThatFit(machineMemory())),
  };
  const isOnlyEdge = parts.size === 1 && parts.has('edge');
  const db = openDatabase(config.databaseUrl, { isReadOnly: isOnlyEdge });
  const ask = () => db.selectFrom('organizations').select('id').limit(1).execute();
  const canDoWithout = isOnlyEdge && (await isKnowledgeKept(config));
  const isDatabaseAway = !(await waitForDatabase(ask, logger, { canDoWithout }));
  const app = isOnlyEdge
    ? await createApp(shareOfConnections(config), readsOnly(db), logger, { siblings, isDatabaseAway })
    : await createApp(config, db, logger, { siblings });
  if ([...parts].some((part) => HAS_COUNTED_LISTENERS.has(part)))
    logConnectionBudget(app.connections, logger);
  if (!parts.has('console')) addProcessMetrics(app.metrics);
  connectSiblings(app);
  const running: RunningRole[] = [];
  for (const [part, load] of Object.entries(LOADS)) {
    // Object.entries loses the type of the keys.
    if (!parts.has(part as Part)) continue;
    const start = await load();
    const started = await start(app, pages);
    running.push(started);
    if (part !== 'housekeeper') logger.info({ role: part, address: started.address }, 'ready');
  }
  // In development, errors should end the process visibly.
  if (!config.development) {
    logUncaughtErrors(createBoundedLog(logger, app.metrics, 'process', () => app.clock.now()));
  }
  return async () => {
    await Promise.all(running.map((role) => role.stop()));
    await db.destroy();
  };
}

/** With several roles in one process, the setting names all or none. */
function isBehindProxy({ proxiedRoles }: Config, parts: ReadonlySet<Part>): boolean {
  return [...parts].some((part) => part !== 'housekeeper' && proxiedRoles.has(part));
}

/**
 * The limit on all connections is the machine's, and its edges share it. The limit on open files is each
 * process's own.
 */
function shareOfConnections(config: Config): Config {
  return { ...config, connectionsMax: Math.ceil(config.connectionsMax / config.edgeProcesses) };
}
