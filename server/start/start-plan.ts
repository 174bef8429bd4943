import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { migrateDatabase } from '#db/migrate.ts';
import { sharesConnections } from '#db/shares-connections.ts';
import { clockOf } from '../clock.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { isNodeError } from '../errors.ts';
import type { Logger } from '../logging/logger.ts';
import { isOutage } from '../outage.ts';
import { noteBillingMode } from '../services/billing/note-billing-mode.ts';
import { claimStore } from '../store/own-store.ts';
import type { Part, ProcessPlan, StartPlan } from '../supervisor/messages.ts';
import { logMigrations } from './log-migrations.ts';

/** Creates what every start needs first: the newest schema, and the mark of the store. */
export async function prepareData(config: Config, logger: Logger): Promise<void> {
  if (await reachDatabase(() => sharesConnections(config.databaseUrl))) {
    logger.warn(
      'DATABASE_URL leads to a pooler that lends connections by transaction: time limits of statements apply to the wrong ones. Set its pool_mode to session.',
    );
  }
  const migrations = await reachDatabase(() => migrateDatabase(config.databaseUrl));
  if (migrations.length > 0) logMigrations(logger, migrations);
  const db = openDatabase(config.databaseUrl);
  try {
    const now = clockOf(config).now();
    await claimStore(config, db, now);
    // A machine with only edges may have no billing settings.
    if (config.roles.has('console')) await noteBillingMode(db, config, now);
  } finally {
    await db.destroy();
  }
}

/**
 * Errors of a database that refuses us: no such role or password, no such database (PostgreSQL, "Error
 * Codes").
 */
const TURNED_AWAY = ['28000', '28P01', '3D000'];

/** What Kysely's migrator reports for a schema that is newer than this program. */
const NEWER_SCHEMA = /previously executed migration (\S+) is missing/;

/** Does the first work with a database. @throws ConfigError when it does not respond, refuses us, or is of a newer program */
export async function reachDatabase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
    const code = isNodeError(cause) ? cause.code : undefined;
    if (TURNED_AWAY.includes(code ?? '')) {
      const said = cause instanceof Error ? cause.message : '';
      throw new ConfigError(`DATABASE_URL cannot be used: the database refuses this account (${said}).`);
    }
    const newer = NEWER_SCHEMA.exec(cause instanceof Error ? cause.message : '')?.[1];
    if (newer !== undefined) {
      throw new ConfigError(
        `DATABASE_URL cannot be used: a newer version of this program has migrated it (${newer}). Start that version, or restore an earlier backup.`,
      );
    }
    if (!isOutage(error)) throw error;
    throw new ConfigError(
      `DATABASE_URL cannot be used: the database does not respond${code === undefined ? '' : ` (${code})`}. Start it, or correct the address.`,
    );
  }
}

/** What is logged once everything runs; null without a console. */
export function readyMessageOf({ productName, publicUrl, roles }: Config): string | null {
  return roles.has('console') ? `${productName} is ready: open ${publicUrl}` : null;
}

/** Where the supervisor of a DATA_DIR stores its process id. */
export function pidFileOf({ dataDir }: Config): string {
  return join(dataDir, 'supervisor.pid');
}

/** Returns which processes have the roles of this machine. */
export function planStart(config: Config): StartPlan {
  return {
    processes: planProcesses(config),
    pidFile: pidFileOf(config),
    readyMessage: readyMessageOf(config),
    logLevel: config.logLevel,
  };
}

/**
 * The housekeeper shares a process: that of the jobs, otherwise of the console, otherwise of the name server;
 * when there are only edges, it has its own.
 */
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
