import type { EdgeRequest } from './edge-exchange.ts';
import type { EdgeAnswerRecord } from './ports.ts';

/** Where a request came from; only read on demand, because querying a socket costs. */
export interface EdgeClient {
  readonly remoteAddress?: string | undefined;
}

/** An answer whose head is about to be written. */
export interface WitnessedAnswer {
  readonly status: EdgeAnswerRecord['status'];
  readonly isCacheHit: EdgeAnswerRecord['isCacheHit'];
}

/** Called for every answer of an edge, on the hot path. Never throws and never waits. */
export interface EdgeWitness {
  /**
   * @param bodyBytes of the whole body
   * @param ms since the request was read; 0 for an answer that was ready in memory
   */
  answered(
    request: EdgeRequest,
    answer: WitnessedAnswer,
    bodyBytes: number,
    ms: number,
    client: EdgeClient,
  ): void;
}

/** Observes nothing. */
export const noWitness: EdgeWitness = { answered: () => undefined };

/** The answer while too many answers wait for slow clients. */
export const TOO_BUSY_ANSWER: WitnessedAnswer = { status: 503, isCacheHit: true };
