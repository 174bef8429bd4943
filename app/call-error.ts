import type { TRPCClientError } from '@trpc/client';
import type { AppRouter } from '#server/routers/app-router.ts';

interface CallFailure {
  /** What the server tells of its refusal; null when the response is not one of ours, or there was none. */
  data: TRPCClientError<AppRouter>['data'] | null;
  /** Whether anything answered. */
  isAnswered: boolean;
  cause?: unknown;
}

/** A failed call of a procedure, in the browser and on the server. */
export class CallError extends Error {
  /** As the library calls it, in the browser's console too. */
  override name = 'TRPCClientError';
  readonly data: CallFailure['data'];
  readonly isAnswered: boolean;
  constructor(message: string, { data, isAnswered, cause }: CallFailure) {
    super(message, { cause });
    this.data = data;
    this.isAnswered = isAnswered;
  }
}
