import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { HOUR_MS } from '../durations.ts';
import type { AcmeTransport } from './acme-transport.ts';
import { AuthorityError } from './authority.ts';

const FRESH_MS = HOUR_MS;
/** How long after a failure a lookup of the identities does not wait for the server again. */
const PAUSE_MS = 60_000;
const CAA_IDENTITIES_MAX = 20;

const domain = z
  .string()
  .max(253)
  .transform((value) => value.toLowerCase().replace(/\.$/, ''));

const directorySchema = z.object({
  newOrder: z.url(),
  renewalInfo: z.url().nullish().catch(null),
  meta: z
    .object({ caaIdentities: z.array(domain).max(CAA_IDENTITIES_MAX).nullish().catch(null) })
    .nullish()
    .catch(null),
});

/** What an ACME server says about itself, beyond what the library reads. */
export interface AcmeDirectory {
  /**
   * Domain names that stand for this authority in CAA records, as last read.
   * @throws AuthorityError before the first success
   */
  caaIdentities(): Promise<readonly string[]>;
  /** Base address of renewal windows (RFC 9773); null when the server has none. @throws AuthorityError */
  renewalInfoUrl(): Promise<string | null>;
}

/** Returns the directory at an address, read at most once an hour. */
export function createAcmeDirectory(parts: {
  url: string;
  transport: AcmeTransport;
  clock: Clock;
}): AcmeDirectory {
  let known: z.output<typeof directorySchema> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let failure: { error: unknown; at: number } | null = null;
  let reading: Promise<z.output<typeof directorySchema>> | null = null;

  const load = async () => {
    const { body } = await parts.transport.readJson(parts.url);
    const parsed = directorySchema.safeParse(body);
    if (!parsed.success) throw new AuthorityError('unavailable', 'The authority has no directory there.');
    return parsed.data;
  };
  const read = async () => {
    const now = parts.clock.now();
    if (known && now - readAt < FRESH_MS) return known;
    try {
      reading ??= load();
      known = await reading;
      readAt = now;
      failure = null;
      return known;
    } catch (error) {
      failure = { error, at: now };
      throw error;
    } finally {
      reading = null;
    }
  };
  return {
    async caaIdentities() {
      try {
        if (failure && parts.clock.now() - failure.at < PAUSE_MS) throw failure.error;
        return (await read()).meta?.caaIdentities ?? [];
      } catch (error) {
        if (known === null) throw error;
        return known.meta?.caaIdentities ?? [];
      }
    },
    async renewalInfoUrl() {
      return (await read()).renewalInfo ?? null;
    },
  };
}
