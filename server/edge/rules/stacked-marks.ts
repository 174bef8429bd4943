/** Unicode's own limit for streamed text (UAX #15, stream-safe text): no writing system has as many. */
const MARKS_MAX = 30;
/** Runs of what normalizing sorts: marks, and two Japanese signs that become some. */
const RUNS_OF_MARKS = /[\p{M}\uff9e\uff9f]+/gu;

/** True when one letter has more marks than any writing system has: normalizing them takes quadratic time. */
export function hasStackedMarks(text: string): boolean {
  for (const [run] of text.matchAll(RUNS_OF_MARKS)) if (run.length > MARKS_MAX) return true;
  return false;
}
