import type { App } from '#server/context.ts';
import type { EdgeChange } from '../../edge-changes/edge-changes.ts';
import { findNewestSequence, listEdgeChanges } from '../../edge-changes/list-edge-changes.ts';
import type { ChangeMarks } from './change-marks.ts';

/**
 * Applies what was changed since an edge of this machine last followed the log, and returns the sequence to
 * follow it from. When that is not known or too much, everything may have changed.
 */
export async function catchUpWithChanges(
  app: App,
  marks: ChangeMarks,
  apply: (change: EdgeChange) => void,
): Promise<number> {
  const newest = await findNewestSequence(app);
  const position = await marks.findPosition();
  // A database that was restored from a backup begins again at an earlier sequence.
  const isKnown = position !== null && position <= newest;
  const { changes, isLast } = isKnown ? await listEdgeChanges(app, position) : { changes: [], isLast: false };
  if (!isLast) marks.markEverything();
  for (const { site_id, hostname } of changes) apply({ site_id, hostname });
  const last = isLast ? (changes.at(-1)?.sequence ?? newest) : newest;
  marks.followed(last);
  return last;
}
