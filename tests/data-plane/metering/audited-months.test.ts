import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { DAY_MS } from '#server/durations.ts';
import { setUpBillingByRest } from '#tests/support/billing/rest-billing.ts';
import {
  bandwidthCents,
  requestCents,
  secondOpinion,
  storageCents,
} from '#tests/support/billing/second-opinion.ts';
import { type Deployer, registerDeployer } from '#tests/support/client/deploy-client.ts';
import { listOf, restClient } from '#tests/support/client/rest-client.ts';
import { homeOf, sessionCookieOf, signIn } from '#tests/support/client/sign-in.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { childProcesses, isRunning } from '#tests/support/server/child-processes.ts';
import { programEnvironment } from '#tests/support/server/program-environment.ts';
import { insertEndpoint } from '#tests/support/server/server-database.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { makeBuckets } from '#tests/support/storage/s3-client.ts';
import { type CountingVisitor, countingVisitor, type Seen } from './counting-visitor.ts';
import { createMovingClock, type MovingClock } from './moving-clock.ts';

const run = promisify(execFile);
const LARGE_BYTES = 4 * 2 ** 20;
const CONNECTIONS = 6;
const STORED_BYTES = 2 ** 20;
/** $90 a month for a GB: what is stored costs some cents. */
const STORAGE_MILLICENTS = 9_000_000n;
const HOUR_MS = 3_600_000;
/** A cent of bandwidth, and of requests. */
const CENT_BYTES = 2 ** 30 / 10;
const CENT_REQUESTS = 10_000;
/** Edges assign counts to the hour in which they last read the clock, every two seconds. */
const LOOKED_MS = 3_000;
/** Twice as long as edges keep counts to themselves. */
const HANDED_OVER_MS = 5_000;

/** Months that no clock of this machine has reached, so that everything billed is in them. */
const today = new Date();
const monthAt = (month: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1 + month, 1);
const nameOf = (month: number) => new Date(monthAt(month)).toISOString().slice(0, 7);

let folder: string;
let clock: MovingClock;
let server: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portage-audit-'));
  clock = await createMovingClock(folder, monthAt(0) + 2 * DAY_MS);
  server = await startTestServer({
    ...clock.environment,
    PROCESSES: 'auto',
    EDGE_PROCESSES: '2',
    BILLING_MODE: 'sandbox',
    TAX_REGISTRATIONS: 'GST:123456789RT0001,QST:1234567890TQ0001',
    STORAGE_PRICE_CENTS_PER_GB_MONTH: String(STORAGE_MILLICENTS / 1_000n),
  });
});
afterAll(async () => {
  for (const { visitor } of customers) visitor.close();
  await server?.close();
  await removeFolder(folder);
});

/** A customer, its hosts, and their visitors. */
interface Customer {
  deployer: Deployer;
  province: string | null;
  visitor: CountingVisitor;
  hosts: string[];
  endpoints: number;
  /** By month, what was observed in it: at least and at most. */
  least: Seen[];
  most: Seen[];
  /** How long its object has been stored for, by its own clock; null when it stores nothing. */
  stored: Stored | null;
}

/** Between which instants an object began to be stored, and ended. */
interface Stored {
  begun: Span;
  ended: Span;
}
interface Span {
  from: number;
  to: number;
}
const customers: Customer[] = [];

const NONE: Seen = { requests: 0, bytes: 0 };
const plus = (one: Seen, other: Seen): Seen => ({
  requests: one.requests + other.requests,
  bytes: one.bytes + other.bytes,
});

const minus = (one: Seen, other: Seen): Seen => ({
  requests: one.requests - other.requests,
  bytes: one.bytes - other.bytes,
});

async function makeCustomer(name: string, province: string | null): Promise<Customer> {
  const deployer = await registerDeployer(server);
  const abroad = { country: 'GB', province: 'Greater London', postal_code: 'N1 9GU' };
  await setUpBillingByRest(deployer.person, province === null ? abroad : { province });
  const site = await deployer.createSite(name);
  await site.deploy({
    'index.html': `<p>${name}</p>`,
    'large.bin': seededRandom(name.length).bytes(LARGE_BYTES),
  });
  const visitor = countingVisitor(server.edgePort, CONNECTIONS);
  const customer = {
    deployer,
    province,
    visitor,
    hosts: [site.host],
    endpoints: 0,
    least: [],
    most: [],
    stored: null,
  };
  if (province === null) return customer;
  const organizationId = homeOf(deployer.signedIn);
  const hostname = `www.${name}.example`;
  await insertEndpoint(server, { organizationId, siteId: site.id, hostname, provenAt: clock.now() });
  return { ...customer, hosts: [site.host, hostname], endpoints: 1 };
}

/** What the visitor has observed of a customer in total, at least and at most. */
function seenOf({ hosts, visitor }: Customer): { least: Seen; most: Seen } {
  const sum = (of: Map<string, Seen>) => hosts.map((host) => of.get(host) ?? NONE).reduce(plus, NONE);
  const least = sum(visitor.seen);
  return { least, most: plus(least, sum(visitor.broken)) };
}

/** Large files, then small ones, until a customer's observed traffic in a month is at whole cents. */
async function topUp(customer: Customer, since: Seen, cents: { bandwidth: number; requests: number }) {
  const here = () => {
    const { most } = seenOf(customer);
    return { requests: most.requests - since.requests, bytes: most.bytes - since.bytes };
  };
  const { visitor } = customer;
  const [host = '', other = host] = customer.hosts;
  const missing = () => cents.bandwidth * CENT_BYTES - here().bytes;
  await visitor.ask(host, '/large.bin', Math.max(0, Math.floor(missing() / 2 / LARGE_BYTES)));
  await visitor.ask(other, '/large.bin', Math.max(0, Math.floor(missing() / LARGE_BYTES)));
  await visitor.ask(other, '/', Math.max(0, cents.requests * CENT_REQUESTS - here().requests));
}

/** Stores an object of a customer in a new bucket, and returns what deletes it. Both tell between which instants it happened. */
async function storeObject({ deployer }: Customer): Promise<{ begun: Span; remove(): Promise<Span> }> {
  const buckets = makeBuckets(server, deployer.person);
  const { id, name: Bucket } = await buckets.createBucket('audited');
  const keys = await buckets.createKeys([id]);
  const client = () => buckets.client(keys, { systemClockOffset: clock.now() - Date.now() });
  const during = async (work: () => Promise<unknown>): Promise<Span> => {
    const from = clock.now();
    await work();
    return { from, to: clock.now() };
  };
  const Body = Buffer.alloc(STORED_BYTES);
  const begun = await during(() => client().send(new PutObjectCommand({ Bucket, Key: 'kept', Body })));
  return {
    begun,
    remove: () => during(() => client().send(new DeleteObjectCommand({ Bucket, Key: 'kept' }))),
  };
}

/** At least and at most how many bytes were stored for how many hours of a month. */
function byteHoursIn({ stored }: Customer, month: number): [bigint, bigint] {
  if (stored === null) return [0n, 0n];
  const hours = (begun: number, ended: number) =>
    Math.max(0, Math.min(ended, monthAt(month + 1)) - Math.max(begun, monthAt(month))) / HOUR_MS;
  const { begun, ended } = stored;
  const byteHours = (from: number, to: number) => BigInt(Math.round(STORED_BYTES * hours(from, to)));
  return [byteHours(begun.to, ended.from), byteHours(begun.from, ended.to)];
}

/** Runs the operator command. */
async function operate(...args: string[]) {
  const env = { ...programEnvironment(), ...server.environment };
  const { stdout } = await run(process.execPath, ['server/operator/main.ts', ...args, '--json'], { env });
  return JSON.parse(stdout);
}

/** Ends an edge like a crash. */
async function killEdge(name: string): Promise<void> {
  const id = childProcesses(server.processId()).get(name);
  if (id === undefined) throw new Error(`there is no ${name}`);
  process.kill(id, 'SIGKILL');
  await pollUntil(
    async () => isRunning(id),
    (runs) => !runs,
  );
}

/** Moves the time, and waits until it has reached the edges. */
async function travelTo(at: number): Promise<void> {
  await clock.moveTo(at);
  await sleep(LOOKED_MS);
}

async function handedOver(): Promise<void> {
  await sleep(HANDED_OVER_MS);
}

describe('an installation that is visited for three months', () => {
  it('bills what its visitors have counted, to the cent', async () => {
    const quebec = await makeCustomer('quebec', 'QC');
    const abroad = await makeCustomer('london', null);
    customers.push(quebec, abroad);
    /** What had been observed when the month began, and when it had certainly begun. */
    const begun = new Map(customers.map((customer) => [customer, { early: NONE, late: NONE }]));
    const sinceOf = (customer: Customer) => begun.get(customer) ?? { early: NONE, late: NONE };
    /** Ends a month of the count; what is observed in between may belong to either side. */
    const endMonth = async (across: () => Promise<void>) => {
      const before = new Map(customers.map((customer) => [customer, seenOf(customer).least]));
      await across();
      for (const customer of customers) {
        const { early, late } = sinceOf(customer);
        const until = before.get(customer) ?? NONE;
        const now = seenOf(customer).most;
        customer.least.push(minus(until, late));
        customer.most.push(minus(now, early));
        begun.set(customer, { early: until, late: now });
      }
    };

    // The first month ends under load.
    await travelTo(monthAt(0) + 9 * DAY_MS);
    await topUp(quebec, NONE, { bandwidth: 2, requests: 1 });
    await topUp(abroad, NONE, { bandwidth: 1, requests: 0 });
    const object = await storeObject(quebec);
    await handedOver();
    await travelTo(monthAt(1) - LOOKED_MS - 2_000);
    await endMonth(async () => {
      const loads = customers.map(({ hosts, visitor }) => visitor.askSteadily(hosts[0] ?? '', '/'));
      await sleep(6_000);
      await Promise.all(loads.map((load) => load.stop()));
    });

    // In the second one, only one customer is visited.
    await travelTo(monthAt(1) + 14 * DAY_MS);
    await topUp(quebec, sinceOf(quebec).early, { bandwidth: 1, requests: 2 });
    await handedOver();
    await clock.moveTo(monthAt(2) + 1_000);
    await endMonth(async () => undefined);

    // In the third one, an edge is killed while it is visited.
    await travelTo(monthAt(2) + 20 * DAY_MS);
    const { visitor } = quebec;
    await visitor.ask(quebec.hosts[1] ?? '', '/large.bin', 10);
    await handedOver();
    const load = visitor.askSteadily(quebec.hosts[0] ?? '', '/');
    const atRisk = seenOf(quebec).most;
    await sleep(1_000);
    // Whichever edge the visitor is connected to.
    for (const name of ['edge-1', 'edge-2']) {
      if (visitor.interruptions() === 0) await killEdge(name);
      await sleep(1_000);
    }
    await load.stop();
    const lost = seenOf(quebec).most;
    expect(visitor.interruptions()).toBeGreaterThan(0);
    quebec.stored = { begun: object.begun, ended: await object.remove() };
    await topUp(quebec, sinceOf(quebec).early, { bandwidth: 3, requests: 0 });
    await handedOver();
    await clock.moveTo(monthAt(3) + 1_000);
    await endMonth(async () => undefined);
    quebec.least[2] = minus(quebec.least[2] ?? NONE, minus(lost, atRisk));

    // The months are billed one after the other, by two simultaneous commands.
    for (const month of [0, 1, 2]) {
      await clock.moveTo(monthAt(month + 1) + DAY_MS + 60_000);
      const preview: { total_cents: number }[] = await operate('billing', 'preview', nameOf(month));
      const runs = [operate('billing', 'run', nameOf(month)), operate('billing', 'run', nameOf(month))];
      const closed = (await Promise.all(runs)).map((each) => each.closed).reduce((a, b) => a + b, 0);
      expect([month, closed, preview.length]).toEqual([month, 2, 2]);
    }
    for (const customer of customers) await requireSameInvoices(customer);

    // What a crash did not cut off is counted to the byte.
    const counted = await countedBytes();
    const sent = customers.map((customer) => seenOf(customer).most).reduce(plus, NONE);
    expect(counted).toBeLessThanOrEqual(sent.bytes);
    expect(counted).toBeGreaterThanOrEqual(sent.bytes - minus(lost, atRisk).bytes);
  });
});

/**
 * Every invoice of a customer is what the second program calculates from the visitor's counts, and was paid.
 */
async function requireSameInvoices(customer: Customer): Promise<void> {
  const { deployer, province, endpoints, least, most } = customer;
  const { browser, account } = deployer.signedIn;
  browser.clearCookies();
  await signIn(browser, account);
  const headers = { cookie: sessionCookieOf(browser), origin: server.consoleUrl };
  const client = restClient(server.consoleUrl, headers);
  const invoices = listOf(await client('GET', '/api/v1/billing/invoices')).toReversed();
  expect(invoices).toHaveLength(3);
  for (const [month, invoice] of invoices.entries()) {
    const at = new Date(monthAt(month));
    const [low, high] = [least[month] ?? NONE, most[month] ?? NONE];
    // What may be on either side of a month's end, or was lost with an edge, changes no cent.
    const cents = ({ bytes, requests }: Seen) => [
      bandwidthCents(BigInt(bytes)),
      requestCents(BigInt(requests)),
    ];
    expect([nameOf(month), ...cents(low)]).toEqual([nameOf(month), ...cents(high)]);
    const stored = byteHoursIn(customer, month);
    const [fewestCents, mostCents] = stored.map((hours) => storageCents(hours, STORAGE_MILLICENTS));
    expect([nameOf(month), fewestCents]).toEqual([nameOf(month), mostCents]);
    const counted = {
      ...{ sites: 1, endpoints, bytes: BigInt(high.bytes), requests: BigInt(high.requests) },
      byteHours: stored[1],
    };
    const { taxes, ...expected } = secondOpinion(counted, province, STORAGE_MILLICENTS);
    expect(invoice).toMatchObject({
      ...expected,
      billing_year: at.getUTCFullYear(),
      billing_month: at.getUTCMonth() + 1,
      status: 'paid',
      site_count: 1,
      cdn_endpoint_count: endpoints,
      tax_details: Object.entries(taxes).map(([tax_name, amount]) => ({ tax_name, amount })),
      adjustments: [],
    });
    expect(Number(invoice.bandwidth_bytes)).toBeLessThanOrEqual(high.bytes);
    expect(Number(invoice.bandwidth_bytes)).toBeGreaterThanOrEqual(low.bytes);
  }
}

async function countedBytes(): Promise<number> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    const row = await db
      .selectFrom('usage_days')
      .select((eb) => eb.fn.sum<number>('bytes_sent').as('bytes'))
      .executeTakeFirstOrThrow();
    return Number(row.bytes);
  } finally {
    await db.destroy();
  }
}
