import type { Logger } from '../logging/logger.ts';

/** Logs changes of the schema, so that the cause of a later problem can be dated. */
export function logMigrations(logger: Logger, migrations: readonly string[]): void {
  logger.info({ migrations }, 'the schema of the database is up to date');
}
