import { sql } from 'kysely';
import type { App } from '../context.ts';
import type { Neighbours } from '../supervisor/neighbours.ts';
import { reachIssuer, reachMailServer } from './reach-services.ts';

/** A dependency that has not answered by then counts as failed. */
const PROBE_MS = 3_000;
/** Whoever asks again within this time gets the same answer. */
const KEPT_MS = 2_000;

export interface Readiness {
  /** Whether the database and the store answer: nothing works without them. */
  isReady: boolean;
  checks: Record<string, 'ok' | 'failed'>;
}

/**
 * Returns what answers `/readyz`: whether the database and the object store can be used, and whether the issuer and the mail server
 * answer where there are such. Checking the store writes to it, so
 * that one check at a time runs for all who ask, and its result is kept for a moment.
 */
export function createReadinessCheck(app: App): () => Promise<Readiness> {
  let latest: { result: Promise<Readiness>; endedAt: number | null } | null = null;
  return () => {
    const isFresh = latest && (latest.endedAt === null || performance.now() - latest.endedAt < KEPT_MS);
    if (latest && isFresh) return latest.result;
    const check: NonNullable<typeof latest> = { result: checkReadiness(app), endedAt: null };
    latest = check;
    void check.result.then(() => {
      check.endedAt = performance.now();
    });
    return check.result;
  };
}

/**
 * Returns what `/readyz` says of the processes of this machine. It decides nothing: a console whose neighbour is being started again
 * goes on.
 */
export async function describeProcesses(
  neighbours: Neighbours,
): Promise<{ processes?: Record<string, 'ok' | 'starting'> }> {
  if (neighbours.isAlone) return {};
  const processes = await neighbours.status();
  return {
    processes: Object.fromEntries(processes.map(({ name, isReady }) => [name, isReady ? 'ok' : 'starting'])),
  };
}

async function checkReadiness({ blobs, config, db }: App): Promise<Readiness> {
  const { oidc, mail } = config;
  const [needed, wanted] = await Promise.all([
    Promise.all([probe('database', () => sql`select 1`.execute(db)), probe('store', () => blobs.check())]),
    // Whoever is signed in works on without them: a console that is taken out of service for them would make it worse.
    Promise.all([
      ...(oidc ? [probe('issuer', () => reachIssuer(oidc.issuer))] : []),
      ...(mail ? [probe('mail', () => reachMailServer(mail.url))] : []),
    ]),
  ]);
  const isReady = needed.every(([, result]) => result === 'ok');
  return { isReady, checks: Object.fromEntries([...needed, ...wanted]) };
}

async function probe(name: string, check: () => Promise<unknown>): Promise<[string, 'ok' | 'failed']> {
  let deadline: NodeJS.Timeout | undefined;
  const late = new Promise<'failed'>((resolve) => {
    deadline = setTimeout(() => resolve('failed'), PROBE_MS);
  });
  const answer = check().then(
    () => 'ok' as const,
    () => 'failed' as const,
  );
  const result = await Promise.race([answer, late]);
  clearTimeout(deadline);
  return [name, result];
}
