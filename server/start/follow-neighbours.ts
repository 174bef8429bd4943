import type { App } from '../context.ts';
import { SUBJECTS } from '../supervisor/neighbour-subjects.ts';

/**
 * Tells the edges of this machine what this process commits, and provides its metrics to the collecting
 * process.
 */
export function followNeighbours({ edgeChanges, metrics, neighbours }: App): void {
  if (neighbours.isAlone) return;
  edgeChanges.subscribe((change) => neighbours.tell('edge', SUBJECTS.edgeChange, change));
  metrics.setDefaultLabels({ process: neighbours.name });
  neighbours.on(SUBJECTS.metrics, () => metrics.metrics());
}
