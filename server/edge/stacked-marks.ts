/** Unicode's own bound for text that is read as it comes (UAX #15, stream-safe text): no writing of people has as many. */
const marksMax = 30;
/** Runs of what normalising sorts: marks, and two Japanese signs that become some. */
const runsOfMarks = /[\p{M}\uff9e\uff9f]+/gu;

/** True when more marks stand on one letter than any writing has: normalising them takes the square of their number. */
export function hasStackedMarks(text: string): boolean {
  for (const [run] of text.matchAll(runsOfMarks)) if (run.length > marksMax) return true;
  return false;
}
