import { openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { FairQueue } from '#server/concurrency/fair-queue.ts';
import { createDnsServer } from '#server/dns/create-dns-server.ts';
import { networkOf } from '#server/dns/network-rate.ts';
import { AddressCounts } from '#server/limits/address-counts.ts';
import { findChallengeValues } from '#server/services/certificates/find-challenge-values.ts';

/**
 * The name server in a separate process, on a SQLite database: `node dns-server.ts PORT DATABASE LABEL…`.
 * Each label has one value. Prints `ready` when it listens. Clients are not rate-limited.
 */
const [port = '', path = '', ...labels] = process.argv.slice(2);

const db = openDatabase(`sqlite:${path}`);
await migrateToLatest(db);
await db
  .insertInto('challenge_values')
  .values(labels.map((label) => ({ dns_challenge_id: label, value: 'v'.repeat(43), created_at: 0 })))
  .execute();
const report = (details: object, message: string) => {
  process.stderr.write(`${message} ${JSON.stringify(details)}\n`);
};
await createDnsServer({
  port: Number(port),
  address: '127.0.0.1',
  ports: { findTexts: (label) => findChallengeValues(db, label) },
  settings: {
    challengeZone: 'acme.example.ca',
    addressZone: 'edge.example.ca',
    addresses: ['192.0.2.1'],
    nameServers: [],
  },
  logger: { warn: report, error: report },
  countNetworks: (max) => new AddressCounts(max, networkOf),
  queueLookups: (limits) => new FairQueue(limits),
  clock: { now: () => Date.now() },
  limits: { answersPerSecond: 1_000_000, answersBurst: 1_000_000, lookupsPerSecond: 1_000_000 },
});
process.stdout.write('ready\n');
process.on('SIGTERM', () => process.exit(0));
