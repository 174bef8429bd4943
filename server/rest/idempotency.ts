import { createHash } from 'node:crypto';
import type { RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { principalOf } from '../principal.ts';
import {
  claimIdempotencyKey,
  type IdempotencyClaim,
  type KeptAnswer,
} from '../services/idempotency/claim-idempotency-key.ts';
import { keepAnswer } from '../services/idempotency/keep-answer.ts';
import { releaseIdempotencyKey } from '../services/idempotency/release-idempotency-key.ts';
import { IDEMPOTENCY_KEY } from '../services/idempotency/rules.ts';
import type { Answer } from './answer.ts';

/**
 * Runs a write at most once for its `Idempotency-Key`: a repeat of the same request gets the first answer again. Only
 * answers of success are kept, since a failed request changed nothing and may be tried again. `body` is the JSON sent, or
 * null for a stream, which is told apart by its headers.
 * @throws idempotency_key_reused, invalid_input for a key that cannot be one
 */
export async function runOnce(
  context: RequestContext,
  request: Request,
  body: Buffer | null,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const key = request.headers.get('idempotency-key');
  const principal = principalOf(context);
  if (key === null || principal === null || request.method === 'GET' || request.method === 'HEAD')
    return work();
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw new AppError('invalid_input', { reason: 'Idempotency-Key: 1 to 255 visible ASCII characters' });
  }
  const claim: IdempotencyClaim = { principal, key, fingerprint: fingerprintOf(request, body) };
  const known = await claimIdempotencyKey(context.app, claim);
  if (known) return fromKept(known);
  let answer: Answer;
  try {
    answer = await work();
  } catch (error) {
    await releaseIdempotencyKey(context.app, claim);
    throw error;
  }
  const kept = {
    status: answer.status,
    body: JSON.stringify({ text: answer.text, headers: answer.headers }),
  };
  // The work is done and cannot be taken back: that its answer could not be kept must not look like a failure.
  await keepAnswer(context.app, claim, kept).catch((error: unknown) => {
    context.app.logger.error(
      { err: error, request_id: context.requestId },
      'an idempotent answer was not kept',
    );
  });
  return answer;
}

function fingerprintOf(request: Request, body: Buffer | null): string {
  const { pathname, search } = new URL(request.url);
  const { headers } = request;
  const hash = createHash('sha256').update(
    JSON.stringify([request.method, pathname, search, headers.get('portage-organization')]),
  );
  if (body) hash.update(body);
  else hash.update(JSON.stringify([headers.get('content-type'), headers.get('content-length')]));
  return hash.digest('hex');
}

function fromKept(kept: KeptAnswer): Answer {
  const { text, headers }: Pick<Answer, 'text' | 'headers'> = JSON.parse(kept.body);
  return { status: kept.status, text, headers: { ...headers, 'idempotency-replayed': 'true' } };
}
