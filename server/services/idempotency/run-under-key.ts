import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { principalOf } from '#server/limits/principal.ts';
import { claimIdempotencyKey, type IdempotencyClaim, type KeptResponse } from './claim-idempotency-key.ts';
import { keepResponse } from './keep-response.ts';
import { releaseIdempotencyKey } from './release-idempotency-key.ts';
import { IDEMPOTENCY_KEY } from './rules.ts';

/** A request that runs at most once for its key; null for one that was sent without a key. */
export interface KeyedRequest<Response> {
  key: string | null;
  /** Hash of the request's content. */
  fingerprint: () => string;
  run: () => Promise<Response>;
  /** What is kept of a response, for repeats. */
  toKept: (response: Response) => Promise<KeptResponse>;
  /** Returns the response again. @throws idempotency_key_reused for another request after all */
  toRepeated: (kept: KeptResponse) => Promise<Response>;
}

/**
 * Runs a request at most once for its key: a repeat of the same request gets the first response again. Only
 * successful responses are kept, because a failed request changed nothing and may be tried again. Of someone
 * who is not known, nothing is kept.
 * @throws idempotency_key_reused, too_many_requests, invalid_input for an invalid key
 */
export async function runUnderKey<Response>(
  context: RequestContext,
  { key, fingerprint, run, toKept, toRepeated }: KeyedRequest<Response>,
): Promise<Response> {
  const principal = principalOf(context);
  if (key === null || principal === null) return run();
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw new AppError('invalid_input', { reason: 'Idempotency-Key: 1 to 255 visible ASCII characters' });
  }
  const { app } = context;
  await app.rateLimits.consume('idempotency_principal', principal);
  const claimedAt = app.clock.now();
  const claim: IdempotencyClaim = { principal, key, fingerprint: fingerprint(), claimedAt };
  const known = await claimIdempotencyKey(app, claim);
  if (known) return toRepeated(known);
  let response: Response;
  try {
    response = await run();
  } catch (error) {
    await releaseIdempotencyKey(app, claim);
    throw error;
  }
  const kept = await toKept(response);
  // The work is done and cannot be undone: failing to keep its response must not look like a failure.
  await keepResponse(app, claim, kept).catch((error: unknown) => {
    app.logger.error({ err: error, request_id: context.requestId }, 'an idempotent answer could not be kept');
  });
  return response;
}
