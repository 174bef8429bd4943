import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { openAuthority } from '#server/certificate-authority/open-authority.ts';
import { createDeployWork } from '#server/concurrency/deploy-work.ts';
import { TimeSlices } from '#server/concurrency/time-slices.ts';
import { type Config, loadConfig } from '#server/config/config.ts';
import type { App } from '#server/context.ts';
import { openIdentityTokens } from '#server/identity-tokens/open-identity-tokens.ts';
import { createConnectionBudget } from '#server/limits/connection-budget.ts';
import { readOpenFileLimit } from '#server/limits/open-file-limit.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createLogger } from '#server/logging/logger.ts';
import { createOutgoing } from '#server/outgoing/outgoing.ts';
import { createPayments } from '#server/payments/open-payments.ts';
import { openSealer } from '#server/secrets/master-key.ts';
import { EdgeChanges } from '#server/services/edge-changes/edge-changes.ts';
import { openBlobStore } from '#server/store/open-blob-store.ts';
import { databaseReserve } from '#server/store/room/watch-disk.ts';
import { alone } from '#server/supervisor/siblings.ts';
import { FakeLookup } from '../dns/fake-lookup.ts';
import { removeFolder } from '../remove-folder.ts';
import { TEST_CLOCK_START, templateFor, writePreparedKey } from '../runner/prepared-installation.ts';
import { createTestDatabase } from './test-database.ts';

/** A clock that tests move. It starts at 2026-03-01T12:00:00Z. */
export interface TestClock {
  now(): number;
  advance(ms: number): void;
}

export interface TestApp extends App {
  clock: TestClock;
}

/**
 * Returns an App on a fresh database of the engine under test (SQLite or PostgreSQL) and a fresh blob
 * directory, with a clock that the test moves. Nothing is billed unless its `environment` says so. Everything
 * is removed after the test. `overrides` replaces parts, e.g. with a full store.
 */
export async function createTestApp(
  overrides: Partial<App> & {
    environment?: Record<string, string>;
    configure?: (config: Config) => Config;
  } = {},
): Promise<TestApp> {
  const { environment, configure, ...parts } = overrides;
  const dataDir = await mkdtemp(join(tmpdir(), 'portage-data-'));
  // What a first start writes is there already.
  const template = templateFor(environment);
  const database = await createTestDatabase(template);
  if (template === 'prepared') await writePreparedKey(dataDir);
  const loaded = loadConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'silent',
    BILLING_MODE: 'off',
    ...environment,
  });
  const config = configure ? configure(loaded) : loaded;
  const db = openDatabase(config.databaseUrl);
  let now = TEST_CLOCK_START;
  const clock: TestClock = {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
  onTestFinished(async () => {
    await db.destroy();
    await database.drop();
    await removeFolder(dataDir);
  });
  const sealer = await openSealer(config, db, now);
  const logger = createLogger(config.logLevel);
  const metrics = new Registry();
  const outgoing = createOutgoing({ metrics, logger, clock, refuses: true });
  const authority = parts.authority ?? (await openAuthority({ config, db, sealer, logger, clock, outgoing }));
  const blobs = parts.blobs ?? (await openBlobStore(config, outgoing));
  const { challengeUpdates } = parts;
  return {
    config,
    db,
    logger,
    sealer,
    databaseDisk: databaseReserve(config),
    edgeChanges: new EdgeChanges(),
    siblings: alone,
    metrics,
    connections: createConnectionBudget({
      openFilesMax: readOpenFileLimit(),
      connectionsMax: config.connectionsMax,
      connectionsPerAddressMax: config.connectionsPerAddress,
      trustProxy: config.trustProxy,
      ...{ metrics, logger, clock },
    }),
    deployWork: createDeployWork(),
    slices: new TimeSlices(),
    rateLimits: createRateLimits(),
    payments: createPayments({ config, db, clock, outgoing }),
    // No test starts a browser by accident.
    camera: null,
    ...parts,
    outgoing,
    authority: outgoing.outsideTransactions('authority', authority),
    lookup: outgoing.outsideTransactions('resolvers', parts.lookup ?? new FakeLookup()),
    identityTokens: outgoing.outsideTransactions(
      'ci_issuers',
      parts.identityTokens ??
        openIdentityTokens({
          issuers: config.ciIssuers,
          audience: config.publicUrl,
          now: () => clock.now(),
        }),
    ),
    challengeUpdates: challengeUpdates ? outgoing.outsideTransactions('updates', challengeUpdates) : null,
    blobs: outgoing.outsideTransactions('store', blobs),
    clock,
  };
}
