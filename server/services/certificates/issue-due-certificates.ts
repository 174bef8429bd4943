import type { RequestContext } from '#server/context.ts';
import { openStuckWork } from '../stuck-work/open-stuck-work.ts';
import { issueCertificate } from './issuing/issue-certificate.ts';
import { pauseUntil } from './issuing/issue-pause.ts';
import { selectDueBundles } from './select-due-bundles.ts';

/** Orders mostly wait for others: for the DNS to show a value, for the authority to check it. */
const AT_ONCE_MAX = 8;
/** The name under which unexpected failures are recorded. */
const JOB = 'issue-certificates';
/** One organization with slow name servers does not delay the others. */
const AT_ONCE_OF_ONE_MAX = 4;
/** While slow orders are in progress, this is how often newly due ones are looked for. */
const LOOK_AGAIN_MS = 1_000;
/**
 * How long a bundle is left alone when another process is working on it, or it could not even be postponed.
 */
const LEFT_MS = 30_000;

/**
 * Issues and renews the certificates that are due, several at a time, and returns how many there were and how
 * they ended. A failure is retried when its row says so: a run does not end while anything is due or in
 * progress. When the process stops, current orders stay where they are.
 */
export async function issueDueCertificates(
  context: RequestContext,
  stopping: AbortSignal = new AbortController().signal,
): Promise<{ issued: number; failed: number; left: number }> {
  const { app } = context;
  const result = { issued: 0, failed: 0, left: 0 };
  /** Until when a bundle is left alone: always while it is in progress. */
  const untouched = new Map<string, number>();
  const active = new Map<Promise<void>, string | null>();
  const pause = pauseUntil(stopping);
  const atWorkFor = (organizationId: string | null) =>
    [...active.values()].filter((each) => each === organizationId).length;
  const start = ({ id, organization_id }: DueBundle) => {
    if (organization_id !== null && atWorkFor(organization_id) >= AT_ONCE_OF_ONE_MAX) return;
    untouched.set(id, Number.POSITIVE_INFINITY);
    const run = tryOne(id).finally(() => active.delete(run));
    active.set(run, organization_id);
  };
  const leave = (id: string) => {
    result.left += 1;
    untouched.set(id, performance.now() + LEFT_MS);
  };
  const tryOne = async (id: string) => {
    try {
      const outcome = await issueCertificate(context, id, { pause, isDueOnly: true });
      if (outcome.kind !== 'issued' && outcome.kind !== 'failed') {
        leave(id);
        return;
      }
      result[outcome.kind] += 1;
      await (await openStuckWork(app, JOB)).succeed(id);
      // The row says when it is due again.
      untouched.delete(id);
    } catch (error) {
      leave(id);
      if (stopping.aborted) return;
      await postpone(context, id, error);
    }
  };
  while (!stopping.aborted) {
    const busy = [...new Set(active.values())].filter(
      (id) => id !== null && atWorkFor(id) >= AT_ONCE_OF_ONE_MAX,
    );
    for (const [id, until] of untouched) if (until <= performance.now()) untouched.delete(id);
    const due = await findDue(context, { untouched, busy, count: AT_ONCE_MAX - active.size });
    for (const bundle of due) start(bundle);
    if (active.size === 0) break;
    await Promise.race([...active.keys(), pause(LOOK_AGAIN_MS).catch(() => undefined)]);
  }
  await Promise.all(active.keys());
  return result;
}

/** After a defect, or a database failure in the middle: neither retried in a loop nor never. */
async function postpone({ app }: RequestContext, bundleId: string, error: unknown): Promise<void> {
  try {
    const next_issue_at = await (await openStuckWork(app, JOB)).fail(bundleId, error);
    await app.db
      .updateTable('certificate_bundles')
      .set({ next_issue_at })
      .where('id', '=', bundleId)
      .where('next_issue_at', '<=', app.clock.now())
      .execute();
  } catch (failure) {
    app.logger.warn({ err: failure, bundle: bundleId, reason: error }, 'an attempt could not be postponed');
  }
}

interface DueBundle {
  id: string;
  organization_id: string | null;
}

/**
 * Returns the due bundles, ordered by turns of their organizations, without bundles that are paused or whose
 * organization has enough orders in progress; those count as its first turns.
 */
async function findDue(
  { app }: RequestContext,
  {
    untouched,
    busy,
    count,
  }: { untouched: ReadonlyMap<string, number>; busy: readonly (string | null)[]; count: number },
): Promise<DueBundle[]> {
  if (count <= 0) return [];
  // What ends while this reads may still be in what is read.
  const left = new Set(untouched.keys());
  const rows = await selectDueBundles(app.db, 'next_issue_at', app.clock.now(), busy)
    .limit(count + left.size)
    .execute();
  return rows.filter(({ id }) => !left.has(id)).slice(0, count);
}
