/**
 * How far the copies of a version have come. Its manifest is gone through twice in the order of its paths: first what pages
 * cannot be shown without, then everything. Every copy that was made up to this point is recorded.
 */
export interface EncodingProgress {
  step: 1 | 2;
  /** The last path that was looked at; empty before the first. */
  path: string;
}

/** Returns the progress that a version's row, or an edge, has kept: the step and a path. */
export function readProgress(text: string): EncodingProgress {
  return { step: text.startsWith('2') ? 2 : 1, path: text.slice(1) };
}

/** Returns the progress as it is kept. */
export function writeProgress({ step, path }: EncodingProgress): string {
  return `${step}${path}`;
}

/** Whether a page cannot be shown before it has this: its copies are made first. */
export function isNeededFirst(contentType: string): boolean {
  return /^(?:text\/(?:html|css|javascript)|application\/(?:x-)?javascript)\b/.test(contentType);
}
