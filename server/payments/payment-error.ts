/**
 * What a payment provider could not do. `unavailable`: nobody knows whether it happened, so that the same key is tried again.
 * `invalid`: it was refused as asked. `missing`: the object does not exist. `signature`: a delivery that is not the provider's.
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

/** Whether an error says that the provider could not be asked. */
export function isPaymentOutage(error: unknown): boolean {
  return error instanceof PaymentError && error.kind === 'unavailable';
}
