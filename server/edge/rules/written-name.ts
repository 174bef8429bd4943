const writtenNames = new Map<string, string>();
const WRITTEN_NAMES_MAX = 1_000;

/** Returns `content-type` as people write it: `Content-Type`. */
export function writtenName(name: string): string {
  const known = writtenNames.get(name);
  if (known !== undefined) return known;
  const written = name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
  if (writtenNames.size < WRITTEN_NAMES_MAX) writtenNames.set(name, written);
  return written;
}
