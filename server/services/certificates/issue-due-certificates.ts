import type { RequestContext } from '#server/context.ts';
import { openStuckWork } from '../stuck-work/open-stuck-work.ts';
import { issueCertificate } from './issuing/issue-certificate.ts';
import { pauseUntil } from './issuing/issue-pause.ts';

/** Orders wait for others most of the time: for the DNS to show a value, for the authority to look. */
const AT_ONCE_MAX = 8;
/** The name under which is kept what could not even fail in an orderly way. */
const JOB = 'issue-certificates';
/** One organization whose name servers are slow holds up nobody else. */
const AT_ONCE_OF_ONE_MAX = 4;
/** While slow orders are under way, what becomes due meanwhile is looked for so often. */
const LOOK_AGAIN_MS = 1_000;
/** What somebody else is at work on, or could not even be postponed, is left alone for so long. */
const LEFT_MS = 30_000;

/**
 * Issues and renews the certificates that are due, several at once, and returns how many there were and how they ended.
 * What fails is tried again when its row says so: a run does not end while anything is due or under way. When the process stops, orders under way stay
 * where they are.
 */
export async function issueDueCertificates(
  context: RequestContext,
  stopping: AbortSignal = new AbortController().signal,
): Promise<{ issued: number; failed: number; left: number }> {
  const { app } = context;
  const result = { issued: 0, failed: 0, left: 0 };
  /** Until when a bundle is not begun with: always while it is under way. */
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
      const outcome = await issueCertificate(context, id, { pause });
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

/** A defect, or a database that went away in the middle: not again and again, and not never. */
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

/** Returns what is due, the longest first, without what is left alone and whose organization has enough at work. */
async function findDue(
  { app }: RequestContext,
  {
    untouched,
    busy,
    count,
  }: { untouched: ReadonlyMap<string, number>; busy: readonly (string | null)[]; count: number },
): Promise<DueBundle[]> {
  if (count <= 0) return [];
  const rows = await app.db
    .selectFrom('certificate_bundles')
    .select(['id', 'organization_id'])
    .where('next_issue_at', '<=', app.clock.now())
    .$if(busy.length > 0, (query) =>
      query.where((eb) => eb.or([eb('organization_id', 'is', null), eb('organization_id', 'not in', busy)])),
    )
    .orderBy('next_issue_at')
    .limit(count + untouched.size)
    .execute();
  return rows.filter(({ id }) => !untouched.has(id)).slice(0, count);
}
