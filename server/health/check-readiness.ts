import { sql } from 'kysely';
import { type Db, isPostgres } from '#db/client.ts';
import { delegatedChallengeZone } from '../certificate-authority/challenge-zone.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Siblings } from '../supervisor/siblings.ts';
import { checkRoles } from './check-roles.ts';
import { reachIssuer, reachMailServer, reachZone } from './reach-services.ts';

/** A dependency that has not responded by then counts as failed. */
const PROBE_MS = 3_000;
/** Repeated checks within this time get the same response, because checking the store writes to it. */
const KEPT_MS = 2_000;
/**
 * The issuer, the mail server and resolvers are external and must not be contacted with every probe of a load
 * balancer.
 */
const OTHERS_KEPT_MS = 30_000;

/** What a dependency answered: a full store, and a database that takes no changes, still serve everything that they have. */
type Result = 'ok' | 'failed' | 'full' | 'read_only';
type Results = Record<string, Result>;

export interface Readiness {
  /** Whether the database and the store respond, be it that they take nothing more: nothing works without them. */
  isReady: boolean;
  checks: Results;
}

const checks = new WeakMap<App, () => Promise<Readiness>>();

/**
 * Returns the readiness check of a process, shared by all its callers: each check costs its dependencies
 * something.
 */
export function readinessCheckOf(app: App): () => Promise<Readiness> {
  const known = checks.get(app) ?? createReadinessCheck(app);
  checks.set(app, known);
  return known;
}

/**
 * Returns the check behind `/readyz`: whether the database and the object store can be used, and whether the
 * issuer and the mail server respond and the zone of certificate challenges is found, if configured, and whether
 * the roles of this machine can do what they are for. One check runs at a time for all callers, and its result is
 * kept for a moment.
 */
function createReadinessCheck(app: App): () => Promise<Readiness> {
  const { blobs, config, db } = app;
  const { oidc, mail } = config;
  const zone = delegatedChallengeZone(app);
  const askOwn = kept(KEPT_MS, () =>
    probeAll({ database: () => checkDatabase(db), store: () => blobs.check() }),
  );
  const askOthers = kept(OTHERS_KEPT_MS, () =>
    probeAll({
      ...(oidc && { issuer: () => reachIssuer(oidc.issuer) }),
      ...(mail && { mail: () => reachMailServer(mail.url) }),
      ...(zone && { challenge_zone: () => reachZone(app.lookup, zone) }),
    }),
  );
  const askRoles = kept(KEPT_MS, async () => {
    const states = Object.entries(await checkRoles(app));
    return Object.fromEntries(states.map(([role, isServing]) => [role, isServing ? 'ok' : 'failed']));
  });
  return async () => {
    const [own, others, roles] = await Promise.all([askOwn(), askOthers(), askRoles()]);
    // Signed-in people can continue without the others, and without another role, and delete what fills a store: taking a console out of
    // service for that would make things worse.
    const isReady = Object.values(own).every((result) => result !== 'failed');
    return { isReady, checks: { ...own, ...others, ...roles } };
  };
}

/** Returns the same work, run once for all callers while it runs and for a time afterwards. */
function kept(keptMs: number, work: () => Promise<Results>): () => Promise<Results> {
  let latest: { result: Promise<Results>; endedAt: number | null } | null = null;
  return () => {
    const isFresh = latest && (latest.endedAt === null || performance.now() - latest.endedAt < keptMs);
    if (latest && isFresh) return latest.result;
    const asked: NonNullable<typeof latest> = { result: work(), endedAt: null };
    latest = asked;
    void asked.result.then(() => {
      asked.endedAt = performance.now();
    });
    return asked.result;
  };
}

/**
 * Returns the states of this machine's processes for `/readyz`. They do not affect readiness: a console keeps
 * serving while a sibling restarts.
 */
export async function describeProcesses(
  siblings: Siblings,
): Promise<{ processes?: Record<string, 'ok' | 'starting' | 'silent'> }> {
  if (siblings.isAlone) return {};
  const processes = await siblings.status();
  return {
    processes: Object.fromEntries(
      processes.map(({ name, isReady, isSilent }) => [
        name,
        isReady ? 'ok' : isSilent ? 'silent' : 'starting',
      ]),
    ),
  };
}

async function probeAll(checks: Record<string, () => Promise<unknown>>): Promise<Results> {
  const results = await Promise.all(Object.entries(checks).map(([name, check]) => probe(name, check)));
  return Object.fromEntries(results);
}

async function probe(name: string, check: () => Promise<unknown>): Promise<[string, Result]> {
  let deadline: NodeJS.Timeout | undefined;
  const late = new Promise<'failed'>((resolve) => {
    deadline = setTimeout(() => resolve('failed'), PROBE_MS);
  });
  const response = check().then(() => 'ok' as const, failureOf);
  const result = await Promise.race([response, late]);
  clearTimeout(deadline);
  return [name, result];
}

function failureOf(error: unknown): Result {
  if (error instanceof ReadOnly) return 'read_only';
  return error instanceof AppError && error.code === 'storage_full' ? 'full' : 'failed';
}

class ReadOnly extends Error {
  override name = 'ReadOnly';
}

/**
 * Asks the database, and whether it takes changes: a PostgreSQL server that is a copy, or was set to read only,
 * refuses them.
 * @throws ReadOnly
 */
async function checkDatabase(db: Db): Promise<void> {
  const setting = isPostgres(db) ? sql<string>`current_setting('transaction_read_only')` : sql<string>`'off'`;
  const { rows } = await sql<{ read_only: string }>`select ${setting} as read_only`.execute(db);
  if (rows[0]?.read_only === 'on') throw new ReadOnly('the database takes no changes');
}
