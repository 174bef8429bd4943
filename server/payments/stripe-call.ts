import Stripe from 'stripe';
import { AppError } from '../errors.ts';
import type { Circuit } from '../outgoing/circuit.ts';
import { PaymentError } from './payment-error.ts';

/** Makes an SDK call and checks that it returned an object of that kind. */
export type StripeCall = <T extends { object: string; id?: string }>(
  object: T['object'],
  call: () => Promise<T>,
) => Promise<T>;

/**
 * Returns the function that calls the SDK: behind the circuit, with its errors converted to ours. The SDK
 * takes any JSON without an `error` for a success, so a response of an unknown proxy is rejected here by its
 * kind.
 */
export function createStripeCall(circuit: Circuit): StripeCall {
  return async (object, call) => {
    try {
      return await circuit.run(async () => {
        const response = await call().catch((error: unknown) => {
          throw toPaymentError(error);
        });
        const isNamed = response.object === 'list' || (typeof response.id === 'string' && response.id !== '');
        if (response.object !== object || !isNamed) {
          throw new PaymentError(
            'unavailable',
            `the payment provider answered something else than ${object}`,
          );
        }
        return response;
      });
    } catch (error) {
      const isOpen = error instanceof AppError && error.code === 'service_unavailable';
      if (isOpen)
        throw new PaymentError('unavailable', 'the payment provider is away', null, { cause: error });
      throw error;
    }
  };
}

/** Converts an SDK error to ours. Its message may quote what was sent, so it is kept as the cause only. */
export function toPaymentError(error: unknown): unknown {
  if (error instanceof PaymentError || !(error instanceof Stripe.errors.StripeError)) return error;
  const code = error.code ?? null;
  const said = (kind: ConstructorParameters<typeof PaymentError>[0], message: string) =>
    new PaymentError(kind, message, code, { cause: error });
  if (error instanceof Stripe.errors.StripeSignatureVerificationError) {
    return said('signature', 'the signature of a webhook does not fit');
  }
  if (error.statusCode === 404 || code === 'resource_missing') {
    return said('missing', 'the payment provider does not know this object');
  }
  // The same call is in progress elsewhere: whether it succeeds is unknown here.
  if (code === 'idempotency_key_in_use') return said('unavailable', 'the same request is in progress');
  const isRefused =
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeCardError ||
    error instanceof Stripe.errors.StripeIdempotencyError;
  if (isRefused) return said('invalid', `the payment provider refused the request (${code ?? error.type})`);
  // Unreachable, rate-limited, or with a key that no longer works: retrying later is right in each case.
  return said('unavailable', `the payment provider cannot be used (${error.type})`);
}
