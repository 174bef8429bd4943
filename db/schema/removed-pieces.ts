/** Content that nothing names any more. Its bytes are removed later: somebody may be reading them. */
export interface RemovedPiecesTable {
  id: string;
  removed_at: number;
}
