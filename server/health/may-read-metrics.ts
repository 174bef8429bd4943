import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Headers that a proxy adds: behind one, every request seems to come from this machine. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Whether a scrape may read the metrics: with METRICS_TOKEN by bearer token, without it only from this
 * machine and not through a proxy.
 */
export function mayReadMetrics(token: string | null, headers: IncomingHttpHeaders, address: string): boolean {
  if (token === null) {
    const isLocal = address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1';
    return isLocal && FORWARDED.every((name) => headers[name] === undefined);
  }
  const given = Buffer.from(headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
