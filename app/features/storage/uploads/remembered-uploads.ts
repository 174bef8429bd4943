const STORED_AS = 'portage-uploads';
/** The oldest are forgotten; the storage itself abandons uploads after a week. */
const KEPT_MAX = 100;

/**
 * Which multipart uploads this browser has started in a bucket, by key and file: they continue after a
 * reload.
 */
export function rememberedUploads(bucketId: string) {
  const nameOf = (key: string, { size, lastModified }: File) => [bucketId, size, lastModified, key].join(' ');
  return {
    find: (key: string, file: File): string | null => read().get(nameOf(key, file)) ?? null,
    /** Whether this browser has started an upload, and continues it when its file is chosen again. */
    includes: (id: string): boolean => [...read().values()].includes(id),
    keep(key: string, file: File, id: string | null): void {
      const known = read();
      known.delete(nameOf(key, file));
      if (id !== null) known.set(nameOf(key, file), id);
      write(new Map([...known].slice(-KEPT_MAX)));
    },
  };
}

function read(): Map<string, string> {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(STORED_AS) ?? '[]');
    const entries = Array.isArray(stored) ? stored : [];
    return new Map(
      entries.filter(
        (entry): entry is [string, string] =>
          Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string',
      ),
    );
  } catch {
    // A browser that stores nothing starts over.
    return new Map();
  }
}

function write(known: ReadonlyMap<string, string>): void {
  try {
    window.localStorage.setItem(STORED_AS, JSON.stringify([...known]));
  } catch {
    // Then an upload cannot be continued after the page was closed.
  }
}
