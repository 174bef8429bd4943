import './process-defaults.ts';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '#db/client.ts';
import { migrateDatabase } from '#db/migrate.ts';
import { createBoundedLog } from './bounded-log.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { logConnectionBudget } from './connection-budget.ts';
import { createApp } from './create-app.ts';
import { createLogger, type Logger, prettyDestination } from './logger.ts';
import { outlastErrors } from './outlast-errors.ts';
import { startConsole } from './roles/start-console.ts';
import { startDns } from './roles/start-dns.ts';
import { startEdge } from './roles/start-edge.ts';
import { startJobs } from './roles/start-jobs.ts';
import { watchDisk } from './store/watch-disk.ts';

/** A running part of the process; `stop` finishes what is in flight. */
export interface RunningRole {
  /** Where people reach it, for the line printed at start. */
  address: string | null;
  stop(): Promise<void>;
}

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
/** After this the process ends whatever is still in flight. */
const STOP_DEADLINE_MS = 25_000;

const config = readConfig();
const logger = createLogger(config.logLevel, process.stdout.isTTY ? prettyDestination() : undefined);
await run(config, logger).catch((error: unknown) => {
  if (error instanceof ConfigError) exitWithSentence(error.message);
  logger.fatal({ err: error }, 'the start failed');
  process.exit(1);
});

async function run(config: Config, logger: Logger): Promise<void> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  await migrateDatabase(config.databaseUrl);
  const db = openDatabase(config.databaseUrl);
  const app = await createApp(config, db, logger);
  const diskWatch = app.databaseDisk && (await watchDisk(config, app.databaseDisk, logger));
  logConnectionBudget(app.connections, logger);

  const starts = {
    console: () => startConsole(app, ROOT),
    edge: () => startEdge(app),
    dns: () => startDns(app),
    jobs: () => startJobs(app),
  };
  const running: RunningRole[] = [];
  for (const role of ['edge', 'dns', 'jobs', 'console'] as const) {
    if (!config.roles.has(role)) continue;
    const started = await starts[role]();
    running.push(started);
    logger.info({ role, address: started.address }, 'ready');
  }
  // Whoever develops wants to see it end.
  if (!config.development) {
    outlastErrors(createBoundedLog(logger, app.metrics, 'process', () => app.clock.now()));
  }
  if (config.roles.has('console')) logger.info(`${config.productName} is ready: open ${config.publicUrl}`);
  stopOnSignal(logger, async () => {
    await Promise.all(running.map((role) => role.stop()));
    diskWatch?.stop();
    await db.destroy();
  });
}

/** Ends gracefully on the first SIGTERM or SIGINT, at once on the second. */
function stopOnSignal(logger: Logger, stop: () => Promise<void>): void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info({ signal }, 'stopping: finishing what is in flight');
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    void stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'the stop failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

function readConfig(): Config {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigError) exitWithSentence(error.message);
    throw error;
  }
}

function exitWithSentence(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
