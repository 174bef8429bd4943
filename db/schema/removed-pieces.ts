/**
 * Content that nothing references any more. Its bytes are removed later, because a request may still be
 * reading them.
 */
export interface RemovedPiecesTable {
  id: string;
  removed_at: number;
}
