import type { EdgeReply } from './edge-exchange.ts';

/** Tells metering about an answer, when anyone listens. */
export function recordReply(reply: EdgeReply, bytes: number): void {
  const { entry, status, isCacheHit } = reply;
  entry?.host?.meter?.count({ status, isCacheHit, isRefused: false, path: null }, bytes);
}
