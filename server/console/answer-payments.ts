import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { BODY_BYTES_MAX } from '../http/bodies/body-limits.ts';
import { readBodyBytes } from '../http/bodies/read-body.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import { surfaceOf } from '../http/requests/request-surface.ts';
import { addressKey } from '../limits/rate-limits.ts';
import { takeWebhook } from '../services/billing/payments/take-webhook.ts';
import { answerSandbox } from './answer-sandbox.ts';

/** Longer than any delivery's signature. */
const SIGNATURE_LENGTH_MAX = 2_000;

/**
 * Answers deliveries of the payment provider, and the pages of the sandbox if it is on; null for everything
 * else.
 * @throws webhook_refused when it is not from the provider or too old
 */
export async function answerPayments(
  app: App,
  request: Request,
  info: RequestInfo,
): Promise<Response | null> {
  const surface = surfaceOf(new URL(request.url).pathname);
  if (surface === 'sandbox') return answerSandbox(app, request, info);
  if (surface !== 'webhook' || !app.payments) return null;
  if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
  await app.rateLimits.consume('webhook_address', addressKey(info.address));
  // The sandbox delivers within the process, and everyone knows the secret that it signs with.
  if (app.payments.mode === 'sandbox') throw new AppError('webhook_refused');
  const signature = request.headers.get('stripe-signature') ?? '';
  if (signature === '' || signature.length > SIGNATURE_LENGTH_MAX) throw new AppError('webhook_refused');
  const body = await readBodyBytes(request, BODY_BYTES_MAX.webhook);
  await takeWebhook(app, body.toString('utf8'), signature);
  return Response.json({ received: true }, { headers: { 'cache-control': 'no-store' } });
}
