import type { App } from '../context.ts';
import { SUBJECTS } from '../supervisor/sibling-subjects.ts';

/**
 * Tells the edges of this machine what this process commits, and provides its metrics to the collecting
 * process.
 */
export function connectSiblings({ edgeChanges, metrics, siblings }: App): void {
  if (siblings.isAlone) return;
  edgeChanges.subscribe((change) => siblings.tell('edge', SUBJECTS.edgeChange, change));
  metrics.setDefaultLabels({ process: siblings.name });
  siblings.on(SUBJECTS.metrics, () => metrics.metrics());
}
