/**
 * Puts `undefined`, the only value of ours that JSON lacks, where superjson's annotations say so: `annotations` has the shape of
 * the value, or names paths by dots.
 * @throws TypeError for annotations of anything else
 */
export function applyUndefined(value: unknown, annotations: unknown): unknown {
  if (Array.isArray(annotations)) {
    if (annotations.length === 1 && annotations[0] === 'undefined') return undefined;
    throw notPlain();
  }
  if (typeof annotations !== 'object' || annotations === null) throw notPlain();
  for (const [path, inner] of Object.entries(annotations)) applyAt(value, keysOf(path), inner);
  return value;
}

function applyAt(value: unknown, keys: string[], annotations: unknown): void {
  const last = keys.pop() ?? '';
  let parent = value;
  for (const key of keys) parent = ownValue(parent, key);
  const changed = applyUndefined(ownValue(parent, last), annotations);
  if (typeof parent === 'object' && parent !== null) Object.assign(parent, { [last]: changed });
}

function ownValue(parent: unknown, key: string): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) throw notPlain();
  return parent[key as keyof typeof parent];
}

/** Returns the keys of a path; a dot or backslash that belongs to a key has a backslash before it. */
function keysOf(path: string): string[] {
  return [...path.matchAll(/(?:^|\.)((?:[^.\\]|\\[.\\])*)/g)].map(([, key = '']) =>
    key.replace(/\\([.\\])/g, '$1'),
  );
}

function notPlain(): TypeError {
  return new TypeError('The annotations name something else than undefined.');
}
