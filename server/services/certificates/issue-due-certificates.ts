import type { RequestContext } from '#server/context.ts';
import { issueCertificate } from './issue-certificate.ts';
import { pauseUntil } from './issue-pause.ts';

/** Orders wait for others most of the time: for the DNS to show a value, for the authority to look. */
const AT_ONCE_MAX = 4;
/** While slow orders are under way, what becomes due meanwhile is looked for so often. */
const LOOK_AGAIN_MS = 1_000;
const AFTER_DEFECT_MS = 5 * 60_000;

/**
 * Issues and renews the certificates that are due, several at once, and returns how many there were and how they ended.
 * What fails is tried again when its row says so, never twice in one run. When the process stops, orders under way stay
 * where they are.
 */
export async function issueDueCertificates(
  context: RequestContext,
  stopping: AbortSignal = new AbortController().signal,
): Promise<{ issued: number; failed: number; left: number }> {
  const { app } = context;
  const result = { issued: 0, failed: 0, left: 0 };
  const tried = new Set<string>();
  const active = new Set<Promise<void>>();
  const pause = pauseUntil(stopping);
  const start = (id: string) => {
    tried.add(id);
    const run = tryOne(id).finally(() => active.delete(run));
    active.add(run);
  };
  const tryOne = async (id: string) => {
    try {
      const outcome = await issueCertificate(context, id, { pause });
      if (outcome.kind === 'issued') result.issued += 1;
      else if (outcome.kind === 'failed') result.failed += 1;
      else result.left += 1;
    } catch (error) {
      result.left += 1;
      if (stopping.aborted) return;
      app.logger.error({ err: error, bundle: id }, 'a certificate could not be issued');
      await postpone(context, id);
    }
  };
  while (!stopping.aborted) {
    for (const id of await findDue(context, [...tried], AT_ONCE_MAX - active.size)) start(id);
    if (active.size === 0) break;
    await Promise.race([...active, pause(LOOK_AGAIN_MS).catch(() => undefined)]);
  }
  await Promise.all(active);
  return result;
}

/** A defect, or a database that went away in the middle: not again and again, and not never. */
async function postpone({ app }: RequestContext, bundleId: string): Promise<void> {
  const now = app.clock.now();
  await app.db
    .updateTable('certificate_bundles')
    .set({ next_issue_at: now + AFTER_DEFECT_MS })
    .where('id', '=', bundleId)
    .where('next_issue_at', '<=', now)
    .execute()
    .catch((error: unknown) => app.logger.warn({ err: error }, 'an attempt could not be postponed'));
}

async function findDue({ app }: RequestContext, except: readonly string[], count: number): Promise<string[]> {
  if (count <= 0) return [];
  const rows = await app.db
    .selectFrom('certificate_bundles')
    .select('id')
    .where('next_issue_at', '<=', app.clock.now())
    .orderBy('next_issue_at')
    .limit(count + except.length)
    .execute();
  const seen = new Set(except);
  return rows
    .map(({ id }) => id)
    .filter((id) => !seen.has(id))
    .slice(0, count);
}
