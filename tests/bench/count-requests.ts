import { openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { loadConfig } from '#server/config/config.ts';
import { createApp } from '#server/create-app.ts';
import type { EdgeMeter } from '#server/edge/ports.ts';
import { newId } from '#server/ids.ts';
import { createLogger } from '#server/logging/logger.ts';
import { startMetering } from '#server/metering/start-metering.ts';

/**
 * Counts like an edge in use, into an embedded database in `folder`, for an endpoint without an organization.
 */
export async function countRequests(
  folder: string,
): Promise<{ meterOf(): EdgeMeter | null; stop(): Promise<void> }> {
  const config = loadConfig({
    DATA_DIR: folder,
    DATABASE_URL: databaseOf(folder),
    LOG_LEVEL: 'warn',
    BILLING_MODE: 'off',
  });
  const db = openDatabase(config.databaseUrl);
  await migrateToLatest(db);
  const metering = await startMetering(await createApp(config, db, createLogger('warn')));
  const series = { organizationId: newId(), endpointId: newId(), siteId: newId() };
  return {
    meterOf: () => metering.meterOf(series),
    async stop() {
      await metering.stop();
      await db.destroy();
    },
  };
}

/** Returns the counts of {@link countRequests}: requests and bytes. */
export async function readCounted(folder: string): Promise<{ requests: number; bytes: number }> {
  const db = openDatabase(databaseOf(folder));
  try {
    const { requests, bytes } = await db
      .selectFrom('usage_days')
      .select(({ fn }) => [
        fn.sum<number | null>('requests').as('requests'),
        fn.sum<number | null>('bytes_sent').as('bytes'),
      ])
      .executeTakeFirstOrThrow();
    return { requests: requests ?? 0, bytes: bytes ?? 0 };
  } finally {
    await db.destroy();
  }
}

function databaseOf(folder: string): string {
  return `sqlite:${folder}/usage.sqlite`;
}
