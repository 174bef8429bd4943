/**
 * How far the copies of a version have come. Its manifest is read twice in the order of its paths: first what
 * pages cannot be shown without, then everything. Every copy created up to this point is recorded.
 */
export interface EncodingProgress {
  step: 1 | 2;
  /** The last path that was processed; empty before the first. */
  path: string;
}

/** Parses the progress stored with a version's row or in an edge: the step and a path. */
export function readProgress(text: string): EncodingProgress {
  return { step: text.startsWith('2') ? 2 : 1, path: text.slice(1) };
}

/** Returns the progress in its stored form. */
export function writeProgress({ step, path }: EncodingProgress): string {
  return `${step}${path}`;
}

/** Whether pages cannot be shown without it: its copies are created first. */
export function isNeededFirst(contentType: string): boolean {
  return /^(?:text\/(?:html|css|javascript)|application\/(?:x-)?javascript)\b/.test(contentType);
}
