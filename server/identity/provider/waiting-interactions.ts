import type { IncomingMessage } from 'node:http';
import { type Adapter, errors } from 'oidc-provider';
import type { App } from '../../context.ts';
import { addressKey } from '../../limits/rate-limits.ts';
import { findKnownBrowser } from '../browser-cookie.ts';
import { createProviderAdapter } from './provider-adapter.ts';

/** What one may take: several times what our console and other programs send. */
const PAYLOAD_BYTES_MAX = 4096;

/** Bounds of all interactions together. */
export interface InteractionBounds {
  /** Beyond so many, the oldest are dropped. */
  max: number;
  /** From so many on, each browser or address may begin only a few in an hour. */
  scarceFrom: number;
  /** They are counted once for so many that are begun. */
  countedEvery: number;
  /** What one count drops at most, in milliseconds of the database. */
  droppedAtOnce: number;
}

/** All together take at most 300 MB, and as a rule a sixth of that. */
const BOUNDS: InteractionBounds = {
  max: 50_000,
  scarceFrom: 25_000,
  countedEvery: 100,
  droppedAtOnce: 500,
};

/** The interactions that wait for somebody to sign in: anybody may begin some, and each is a row for an hour. */
export interface WaitingInteractions {
  /** The provider's storage of them. */
  adapter: Adapter;
  /** Counts one that is about to begin. @throws RateLimitExceeded while they are scarce */
  admit(request: IncomingMessage, address: string): Promise<void>;
}

/**
 * Returns the bounded interactions. Someone who begins them from thousands of addresses fills half of the bound; then
 * each address gets a few, and each browser that has signed in before a few of its own, so that everybody else
 * still signs in. Only beyond the whole bound do the oldest make room, after minutes rather than an hour.
 */
export function createWaitingInteractions(app: App, bounds = BOUNDS): WaitingInteractions {
  const { db, rateLimits } = app;
  const stored = createProviderAdapter(app, 'Interaction');
  let begunSinceCount = bounds.countedEvery;
  let isScarce = false;

  const keepWithinBounds = async () => {
    begunSinceCount += 1;
    if (begunSinceCount < bounds.countedEvery) return;
    begunSinceCount = 0;
    const { count } = await db
      .selectFrom('identity_payloads')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('model', '=', 'Interaction')
      .executeTakeFirstOrThrow();
    isScarce = Number(count) >= bounds.scarceFrom;
    const excess = Math.min(Number(count) - bounds.max, bounds.droppedAtOnce);
    if (excess > 0) await dropOldest(app, excess);
  };

  return {
    adapter: {
      ...stored,
      async upsert(id, payload, expiresInSeconds) {
        if (Buffer.byteLength(JSON.stringify(payload)) > PAYLOAD_BYTES_MAX) {
          throw new errors.InvalidRequest('the parameters are too long');
        }
        await keepWithinBounds();
        return stored.upsert(id, payload, expiresInSeconds);
      },
    },
    async admit(request, address) {
      const known = findKnownBrowser(app, request);
      const key = known ? `browser ${known.id}` : `address ${addressKey(address)}`;
      const isWithin = await rateLimits.isWithin('sign_in_begin_scarce', key);
      if (isScarce && !isWithin) await rateLimits.consume('sign_in_begin_scarce', key);
    },
  };
}

/** Drops the oldest interactions: those that end first. */
async function dropOldest({ db }: App, count: number): Promise<void> {
  await db
    .deleteFrom('identity_payloads')
    .where('model', '=', 'Interaction')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('identity_payloads as old')
        .select('old.id')
        // In this form the expiry is read in order; by the model, all would be sorted first.
        .where((eb) => eb(eb.fn.coalesce('old.model', eb.val('')), '=', 'Interaction'))
        .where('old.expires_at', 'is not', null)
        .orderBy('old.expires_at')
        .limit(count),
    )
    .execute();
}
