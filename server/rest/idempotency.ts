import { createHash } from 'node:crypto';
import type { OrganizationContext, RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { type BodyDigest, beginDigest, digestBody } from '../http/bodies/read-body.ts';
import type { IdempotencyClaim, KeptResponse } from '../services/idempotency/claim-idempotency-key.ts';
import { runUnderKey } from '../services/idempotency/run-under-key.ts';
import type { PlainResponse } from './plain-response.ts';

/**
 * Runs a write at most once for its `Idempotency-Key` ({@link runUnderKey}). `body` is the JSON that was sent,
 * null for none, or `upload` for a stream: a stream is hashed while the work reads it, and a repeat is read to
 * its end and compared before it gets the response.
 * @throws what {@link runUnderKey} throws
 */
export function runOnce(
  context: RequestContext | OrganizationContext,
  request: Request,
  body: Buffer | 'upload' | null,
  run: (claim: IdempotencyClaim | null) => Promise<PlainResponse>,
): Promise<PlainResponse> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const key = isRead ? null : request.headers.get('idempotency-key');
  if (key !== null && body === 'upload') beginDigest(request);
  return runUnderKey(context, {
    key,
    fingerprint: () => fingerprintOf(context, request, body),
    run,
    toKept: async ({ status, text, headers }) => {
      const content: KeptContent = { text, headers };
      // An archive reader stops at the archive's end, but what follows still belongs to the request. Unless the
      // body is read to its end, a repeat cannot be recognized as the same.
      if (body === 'upload') content.digest = await digestBody(request).catch(() => null);
      return { status, body: JSON.stringify(content) };
    },
    toRepeated: (kept) => repeatResponse(request, kept),
  });
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
