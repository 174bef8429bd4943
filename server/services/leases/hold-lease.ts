import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { releaseLease } from './release-lease.ts';
import { takeLease } from './take-lease.ts';

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;

/**
 * Runs `work` while holding a lease, renewed as long as the work lasts and released at its end, and returns
 * its result; null when another holder has the lease. A holder that crashes loses it within half a minute.
 */
export async function holdLease<T>(
  app: App,
  name: string,
  work: () => Promise<T>,
): Promise<{ result: T } | null> {
  const holder = newId();
  const take = () => takeLease(app, name, holder, LEASE_MS);
  const warn = (error: unknown) => app.logger.warn({ err: error, lease: name }, 'a lease could not be kept');
  if (!(await take())) return null;
  let renewing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = take().catch(warn);
  }, RENEW_EVERY_MS);
  timer.unref();
  try {
    return { result: await work() };
  } finally {
    clearInterval(timer);
    // Otherwise a renewal in progress would take it again after the release.
    await renewing;
    await releaseLease(app, name, holder).catch(warn);
  }
}
