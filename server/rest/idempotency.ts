import { createHash } from 'node:crypto';
import type { OrganizationContext, RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { type BodyDigest, beginDigest, digestBody } from '../http/read-body.ts';
import { principalOf } from '../limits/principal.ts';
import {
  claimIdempotencyKey,
  type IdempotencyClaim,
  type KeptResponse,
} from '../services/idempotency/claim-idempotency-key.ts';
import { keepResponse } from '../services/idempotency/keep-response.ts';
import { releaseIdempotencyKey } from '../services/idempotency/release-idempotency-key.ts';
import { IDEMPOTENCY_KEY } from '../services/idempotency/rules.ts';
import type { PlainResponse } from './plain-response.ts';

/**
 * Runs a write at most once for its `Idempotency-Key`: a repeat of the same request gets the first response
 * again. Only successful responses are kept, because a failed request changed nothing and may be tried again.
 * `body` is the JSON that was sent, null for none, or `upload` for a stream: a stream is hashed while the
 * work reads it, and a repeat is read to its end and compared before it gets the response.
 * @throws idempotency_key_reused, too_many_requests, invalid_input for an invalid key
 */
export async function runOnce(
  context: RequestContext | OrganizationContext,
  request: Request,
  body: Buffer | 'upload' | null,
  work: () => Promise<PlainResponse>,
): Promise<PlainResponse> {
  const key = request.headers.get('idempotency-key');
  const principal = principalOf(context);
  if (key === null || principal === null || request.method === 'GET' || request.method === 'HEAD')
    return work();
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw new AppError('invalid_input', { reason: 'Idempotency-Key: 1 to 255 visible ASCII characters' });
  }
  await context.app.rateLimits.consume('idempotency_principal', principal);
  const claimedAt = context.app.clock.now();
  const claim: IdempotencyClaim = {
    principal,
    key,
    fingerprint: fingerprintOf(context, request, body),
    claimedAt,
  };
  if (body === 'upload') beginDigest(request);
  const known = await claimIdempotencyKey(context.app, claim);
  if (known) return repeatResponse(request, known);
  let response: PlainResponse;
  try {
    response = await work();
  } catch (error) {
    await releaseIdempotencyKey(context.app, claim);
    throw error;
  }
  const content: KeptContent = { text: response.text, headers: response.headers };
  // An archive reader stops at the archive's end, but what follows still belongs to the request. Unless the
  // body is read to its end, a repeat cannot be recognized as the same.
  if (body === 'upload') content.digest = await digestBody(request).catch(() => null);
  const kept = { status: response.status, body: JSON.stringify(content) };
  // The work is done and cannot be undone: failing to keep its response must not look like a failure.
  await keepResponse(context.app, claim, kept).catch((error: unknown) => {
    context.app.logger.error(
      { err: error, request_id: context.requestId },
      'an idempotent answer could not be kept',
    );
  });
  return response;
}

/** The part of a response that is kept, and for an upload what was sent. */
interface KeptContent extends Pick<PlainResponse, 'text' | 'headers'> {
  digest?: BodyDigest | null;
}

function fingerprintOf(
  context: RequestContext | OrganizationContext,
  request: Request,
  body: Buffer | 'upload' | null,
): string {
  const { pathname, search } = new URL(request.url);
  const { headers } = request;
  // The one that it works in, named or not: a session's own organization changes.
  const organization = 'organization' in context ? context.organization.id : null;
  const hash = createHash('sha256').update(JSON.stringify([request.method, pathname, search, organization]));
  hash.update(body === 'upload' ? JSON.stringify(headers.get('content-type')) : (body ?? ''));
  return hash.digest('hex');
}

/** Returns the first response again. @throws idempotency_key_reused for an upload with other content */
async function repeatResponse(request: Request, kept: KeptResponse): Promise<PlainResponse> {
  const { text, headers, digest }: KeptContent = JSON.parse(kept.body);
  if (digest !== undefined) {
    const again = digest && (await digestBody(request, digest.bytes));
    if (!again || again.sha256 !== digest.sha256) throw new AppError('idempotency_key_reused');
  }
  return { status: kept.status, text, headers: { ...headers, 'idempotency-replayed': 'true' } };
}
