import type Stripe from 'stripe';

/** The `error` of a response, as far as the SDK reads it. */
export interface WireErrorBody {
  type: 'invalid_request_error' | 'card_error' | 'api_error' | 'idempotency_error';
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  payment_intent?: Stripe.PaymentIntent;
  setup_intent?: Stripe.SetupIntent;
}

/**
 * Why the sandbox rejects a request. What was written before a declined payment stays written, as at the
 * provider.
 */
export class WireError extends Error {
  override name = 'WireError';
  readonly status: number;
  readonly body: WireErrorBody;

  constructor(status: number, body: WireErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

/** An invalid request. */
export function invalid(message: string, code: string, param?: string): WireError {
  const named = param === undefined ? {} : { param };
  return new WireError(400, { type: 'invalid_request_error', message, code, ...named });
}

/** An object that does not exist, or not for this caller. */
export function missing(kind: string, id: string): WireError {
  const message = `No such ${kind}: '${id}'`;
  return new WireError(404, {
    type: 'invalid_request_error',
    message,
    code: 'resource_missing',
    param: 'id',
  });
}
