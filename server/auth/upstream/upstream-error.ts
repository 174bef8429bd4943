/**
 * Why a person's memberships could not be read. `outage`: nothing was learned, so what is known stays.
 * `refused`: the person's grant is void, and only another sign-in helps.
 */
export type UpstreamFailure = 'outage' | 'refused';

/** The only error the adapters throw on purpose; its message is for the log and contains no token. */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
  readonly kind: UpstreamFailure;

  constructor(kind: UpstreamFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Whether an error says that the person's grant is void. */
export function isRefused(error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && error.kind === 'refused';
}
