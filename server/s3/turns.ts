import type { OperationName } from './operation.ts';

/** Has clients take turns: what one does at the same time delays only that one. */
export interface Turns {
  /**
   * Begins now or in a later turn of the event loop. `begin` returns false when there was nothing left to do; it
   * must not throw.
   */
  take(client: string, begin: () => boolean, cost?: number): void;
}

/** What a turn begins: this many requests, each about half a millisecond, or fewer that cost more. */
export const COST_PER_TURN = 4;

/** Operations that read or write up to thousands of names. */
const LONG: ReadonlySet<OperationName> = new Set<OperationName>([
  'ListObjects',
  'ListObjectsV2',
  'ListObjectVersions',
  'ListMultipartUploads',
  'ListParts',
  'DeleteObjects',
  'CompleteMultipartUpload',
  'GetObjectAttributes',
]);

/** Returns what an operation takes of a turn. */
export function costOf(operation: OperationName): number {
  return LONG.has(operation) ? COST_PER_TURN : 1;
}
