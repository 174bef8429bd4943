import { foldSiteName } from '../sites/rules.ts';

/** Whether every word of the query is in the text, without regard to case and accents. */
export function matchesQuery(query: string, text: string): boolean {
  const folded = foldSiteName(text);
  return foldSiteName(query)
    .split(/\s+/)
    .every((word) => folded.includes(word));
}
