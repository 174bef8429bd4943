/** Unicode's own bound for text that is read as it comes (UAX #15, stream-safe text): no writing of people has as many. */
const MARKS_MAX = 30;
/** Runs of what normalising sorts: marks, and two Japanese signs that become some. */
const RUNS_OF_MARKS = /[\p{M}\uff9e\uff9f]+/gu;

/**
 * Whether more marks stand on one letter than any writing has. Ask it before a text of any length is normalised: sorting marks
 * takes the square of their number, so that a name of 4 MB would take hours. The edge has its own (server/edge/stacked-marks.ts).
 */
export function hasStackedMarks(text: string): boolean {
  for (const [run] of text.matchAll(RUNS_OF_MARKS)) if (run.length > MARKS_MAX) return true;
  return false;
}
