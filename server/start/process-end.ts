import { type Config, ConfigError, loadConfig } from '../config/config.ts';
import { createLogger, type Logger, prettyDestination } from '../logging/logger.ts';

/** After this, the process ends whatever is still in flight. */
const STOP_DEADLINE_MS = 25_000;

/**
 * Returns the settings, and the logger of this process; a setting that cannot be used ends it with one
 * sentence.
 */
export function openProcess(name?: string): { config: Config; logger: Logger } {
  try {
    const config = loadConfig(process.env);
    const destination = process.stdout.isTTY ? prettyDestination() : undefined;
    return { config, logger: createLogger(config.logLevel, destination, name) };
  } catch (error) {
    if (error instanceof ConfigError) exitWithSentence(error.message);
    throw error;
  }
}

/** Runs the start; a failure ends the process, with one sentence when a setting is to blame. */
export async function startOrExit(logger: Logger, start: () => Promise<void>): Promise<void> {
  await start().catch((error: unknown) => {
    if (error instanceof ConfigError) exitWithSentence(error.message);
    logger.fatal({ err: error }, 'the start failed');
    process.exit(1);
  });
}

/** Returns a function that ends the process gracefully, or immediately when called a second time. */
export function gracefulEnd(logger: Logger, stop: () => Promise<void>): (reason: string) => void {
  let isStopping = false;
  return (reason) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info({ signal: reason }, 'stopping: finishing what is in flight');
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    void stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'the stop failed');
        process.exit(1);
      },
    );
  };
}

function exitWithSentence(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
