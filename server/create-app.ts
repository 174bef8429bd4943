import { Registry } from 'prom-client';
import type { Db } from '#db/client.ts';
import { openCamera } from './browser/camera.ts';
import { absentAuthority } from './certificate-authority/absent-authority.ts';
import { openAuthority } from './certificate-authority/open-authority.ts';
import { clockOf } from './clock.ts';
import { createDeployWork } from './concurrency/deploy-work.ts';
import { TimeSlices } from './concurrency/time-slices.ts';
import type { Config } from './config/config.ts';
import type { App } from './context.ts';
import { createDnsLookup } from './dns-client/create-dns-lookup.ts';
import { createDnsUpdates } from './dns-update/create-dns-updates.ts';
import { openIdentityTokens } from './identity-tokens/open-identity-tokens.ts';
import { createConnectionBudget } from './limits/connection-budget.ts';
import { readOpenFileLimit } from './limits/open-file-limit.ts';
import { createRateLimits } from './limits/rate-limits.ts';
import type { Logger } from './logging/logger.ts';
import { createOutgoing } from './outgoing/outgoing.ts';
import { createPayments } from './payments/open-payments.ts';
import { openSealer, openSealerUnchecked } from './secrets/master-key.ts';
import { EdgeChanges } from './services/edge-changes/edge-changes.ts';
import { openBlobStore } from './store/open-blob-store.ts';
import { requireOwnStore } from './store/own-store.ts';
import { databaseReserve } from './store/room/watch-disk.ts';
import { alone, type Siblings } from './supervisor/siblings.ts';

/** Where a process differs from one that runs alone, with a database. */
interface AppOptions {
  siblings?: Siblings;
  /** For an edge that starts in an outage: nothing is asked of the database. */
  isDatabaseAway?: boolean;
}

/**
 * Creates the parts that everything in a process shares, on a migrated database.
 * @throws ConfigError naming the setting that cannot be used
 */
export async function createApp(
  config: Config,
  db: Db,
  logger: Logger,
  { siblings = alone, isDatabaseAway = false }: AppOptions = {},
): Promise<App> {
  const clock = clockOf(config);
  const sealer = isDatabaseAway ? openSealerUnchecked(config) : await openSealer(config, db, clock.now());
  const metrics = new Registry();
  const outgoing = createOutgoing({ metrics, logger, clock });
  const authority = isDatabaseAway
    ? absentAuthority
    : await openAuthority({ config, db, sealer, logger, clock, outgoing });
  if (!isDatabaseAway) await requireOwnStore(config, db);
  const camera = openCamera(config.siteBrowser);
  return {
    config,
    db,
    logger,
    clock,
    outgoing,
    sealer,
    blobs: outgoing.outsideTransactions('store', await openBlobStore(config, outgoing)),
    databaseDisk: databaseReserve(config),
    authority: outgoing.outsideTransactions('authority', authority),
    payments: createPayments({ config, db, clock, outgoing }),
    camera: camera && outgoing.outsideTransactions('browser', camera),
    lookup: outgoing.outsideTransactions('resolvers', createDnsLookup(config.dnsResolvers)),
    identityTokens: outgoing.outsideTransactions(
      'ci_issuers',
      openIdentityTokens({ issuers: config.ciIssuers, audience: config.publicUrl, now: () => clock.now() }),
    ),
    challengeUpdates: config.dnsUpdateUrl
      ? outgoing.outsideTransactions(
          'updates',
          createDnsUpdates(config.dnsUpdateUrl, config.acmeZone, { clock, outgoing }),
        )
      : null,
    edgeChanges: new EdgeChanges(),
    siblings,
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
    rateLimits: createRateLimits({
      api_principal: { points: config.apiRequestsPerMinute, seconds: 60 },
      changes_organization: { points: config.changesPerHour, seconds: 3600 },
    }),
  };
}
