import { createHash } from 'node:crypto';
import type { OrganizationContext, RequestContext } from '#server/context.ts';
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
  /** Passes the claim on in its context, so that its changes are noted with it. */
  run: (claim: IdempotencyClaim | null) => Promise<Response>;
  /** What is kept of a response, for repeats. */
  toKept: (response: Response) => Promise<KeptResponse>;
  /** Returns the response again. @throws idempotency_key_reused for another request after all */
  toRepeated: (kept: KeptResponse) => Promise<Response>;
}

/**
 * Runs a request at most once for its key: a repeat of the same request gets the first response again. Only
 * successful responses are kept, because a failed request changed nothing and may be tried again; for anonymous
 * callers, none are. After a change of the actor's permission it counts as another request, because a response
 * may contain a secret.
 * @throws idempotency_key_reused, idempotency_request_running, idempotency_outcome_unknown, too_many_requests;
 * invalid_input for an invalid key
 */
export async function runUnderKey<Response>(
  context: RequestContext | OrganizationContext,
  { key, fingerprint, run, toKept, toRepeated }: KeyedRequest<Response>,
): Promise<Response> {
  const principal = principalOf(context);
  if (key === null || principal === null) return run(null);
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw new AppError('invalid_input', { reason: 'Idempotency-Key: 1 to 255 visible ASCII characters' });
  }
  const { app } = context;
  await app.rateLimits.consume('idempotency_principal', principal);
  await app.rateLimits.check('idempotency_bytes_principal', principal);
  const claimedAt = app.clock.now();
  const claim: IdempotencyClaim = {
    ...{ principal, key, claimedAt },
    fingerprint: createHash('sha256')
      .update(JSON.stringify([rightOf(context), fingerprint()]))
      .digest('hex'),
  };
  const known = await claimIdempotencyKey(app, claim);
  if (known) return toRepeated(known);
  let response: Response;
  try {
    response = await run(claim);
  } catch (error) {
    await releaseIdempotencyKey(app, claim).catch((failed: unknown) => {
      app.logger.error({ err: failed, request_id: context.requestId }, 'an idempotency key was not released');
    });
    throw error;
  }
  const kept = await toKept(response);
  // Counted even beyond the limit: it was not known before, and the next request is refused.
  await app.rateLimits.isWithin('idempotency_bytes_principal', principal, Buffer.byteLength(kept.body));
  // The work is done and cannot be undone: failing to keep its response must not look like a failure.
  await keepResponse(app, claim, kept).catch((error: unknown) => {
    app.logger.error(
      { err: error, request_id: context.requestId },
      'an idempotent response could not be kept',
    );
  });
  return response;
}

/** The right with which the actor makes the request; null outside organizations and for no operator. */
function rightOf(context: RequestContext | OrganizationContext): string | null {
  if ('organization' in context) return context.organization.permission;
  return context.actor.kind === 'operator' ? context.actor.access : null;
}
