import type { EdgeRequest } from './edge-exchange.ts';
import type { EdgeResponseRecord } from './ports.ts';

/** Where a request came from; only read on demand, because querying a socket costs. */
export interface EdgeClient {
  readonly remoteAddress?: string | undefined;
}

/** A response whose head is about to be written. */
export interface ObservedResponse {
  readonly status: EdgeResponseRecord['status'];
  readonly isCacheHit: EdgeResponseRecord['isCacheHit'];
}

/** Called for every response of an edge, on the hot path. Never throws and never waits. */
export interface EdgeObserver {
  /**
   * @param bodyBytes of the whole body
   * @param ms since the request was read; 0 for a response that was ready in memory
   */
  answered(
    request: EdgeRequest,
    response: ObservedResponse,
    bodyBytes: number,
    ms: number,
    client: EdgeClient,
  ): void;
}

/** Observes nothing. */
export const noObserver: EdgeObserver = { answered: () => undefined };

/** The response while too many responses wait for slow clients. */
export const TOO_BUSY_RESPONSE: ObservedResponse = { status: 503, isCacheHit: true };
