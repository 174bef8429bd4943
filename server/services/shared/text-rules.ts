/** Marks of direction, of places to break and of byte order. Joiners are not among them: some writings need them. */
const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Returns an address or a code without what copying from a page or a document adds and nobody sees. */
export function withoutUnseen(text: string): string {
  return text.replace(UNSEEN, '');
}

/** Unicode's own limit for stream-safe text (UAX #15): no human writing has as many. */
const MARKS_MAX = 30;
/** Runs of what normalizing sorts: marks, and two Japanese signs that become marks. */
const RUNS_OF_MARKS = /[\p{M}\uff9e\uff9f]+/gu;

/**
 * Whether there are more marks on one letter than any writing has. Check it before normalizing text of any
 * length: sorting marks takes quadratic time, so that a name of 4 MB would take hours. The edge has its own
 * (server/edge/rules/stacked-marks.ts).
 */
export function hasStackedMarks(text: string): boolean {
  for (const [run] of text.matchAll(RUNS_OF_MARKS)) if (run.length > MARKS_MAX) return true;
  return false;
}
