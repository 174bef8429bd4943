/**
 * What a payment provider could not do. `unavailable`: the outcome is unknown, so the call is retried with
 * the same key. `invalid`: the request was rejected. `missing`: the object does not exist. `signature`: a
 * delivery that is not from the provider.
 */
export type PaymentErrorKind = 'unavailable' | 'invalid' | 'missing' | 'signature';

export class PaymentError extends Error {
  override name = 'PaymentError';
  readonly kind: PaymentErrorKind;
  /** The provider's own code, e.g. `tax_id_invalid`. */
  readonly code: string | null;

  constructor(kind: PaymentErrorKind, message: string, code: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.code = code;
  }
}

/** Whether an error means that the provider could not be reached. */
export function isPaymentOutage(error: unknown): boolean {
  return error instanceof PaymentError && error.kind === 'unavailable';
}
