import type { Logger } from '../logging/logger.ts';

/** Logs what changed the schema: whoever looks for the reason of something later finds when it was. */
export function noteMigrations(logger: Logger, migrations: readonly string[]): void {
  logger.info({ migrations }, 'the schema of the database is up to date');
}
