import type { TRPCClientError } from '@trpc/client';
import type { AppRouter } from '#server/routers/app-router.ts';

interface CallFailure {
  /** What the server says about its refusal; null without a response of ours. */
  data: TRPCClientError<AppRouter>['data'] | null;
  /** Whether anything answered. */
  isAnswered: boolean;
  /** What a failed response says that is not ours, in words or as its status: `HTTP 502: Bad Gateway`. */
  foreignText?: string | null;
  cause?: unknown;
}

/** A failed call of a procedure, in the browser and on the server. */
export class CallError extends Error {
  /** As the library calls it, in the browser's console too. */
  override name = 'TRPCClientError';
  readonly data: CallFailure['data'];
  readonly isAnswered: boolean;
  readonly foreignText: string | null;
  constructor(message: string, { data, isAnswered, foreignText = null, cause }: CallFailure) {
    super(message, { cause });
    this.data = data;
    this.isAnswered = isAnswered;
    this.foreignText = foreignText;
  }
}
