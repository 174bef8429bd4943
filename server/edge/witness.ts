import type { EdgeRequest } from './edge-exchange.ts';
import type { EdgeAnswerRecord } from './ports.ts';

/** Where a request came from; read only by who needs it, since asking a socket costs. */
export interface EdgeClient {
  readonly remoteAddress?: string | undefined;
}

/** An answer whose head is about to be written. */
export interface WitnessedAnswer {
  readonly status: EdgeAnswerRecord['status'];
  readonly isCacheHit: EdgeAnswerRecord['isCacheHit'];
}

/** Told of every answer of an edge. It is called on the hot path, never throws and never waits. */
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

/** Where nobody wants to know. */
export const noWitness: EdgeWitness = { answered: () => undefined };

/** What is answered while too much waits for clients that do not take it. */
export const tooBusyAnswer: WitnessedAnswer = { status: 503, isCacheHit: true };
