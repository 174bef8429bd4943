import { EventEmitter } from 'node:events';

/** Something an edge may have cached that has changed. */
export interface EdgeChange {
  site_id: string | null;
  hostname: string | null;
}

/**
 * Announces committed changes to edges of this machine; other machines read the same changes from the table
 * `edge_changes`.
 */
export class EdgeChanges {
  private readonly emitter = new EventEmitter<{ change: [EdgeChange] }>();

  /** Calls `listener` for every change committed by this process. Returns a function that stops it. */
  subscribe(listener: (change: EdgeChange) => void): () => void {
    this.emitter.on('change', listener);
    return () => this.emitter.off('change', listener);
  }

  announce(change: EdgeChange): void {
    this.emitter.emit('change', change);
  }
}
