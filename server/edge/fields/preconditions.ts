/** The conditional headers of a request; empty when absent. */
export interface ConditionalHeaders {
  readonly ifMatch: string;
  readonly ifNoneMatch: string;
  readonly ifModifiedSince: string;
  readonly ifUnmodifiedSince: string;
  readonly ifRange: string;
}

/**
 * Evaluates the conditions of a GET or HEAD, in the order of RFC 9110: entity tags decide, and dates are only
 * used without them. Dates are compared for equality: after a rollback the file at an address may be older
 * than the client's copy.
 */
export function evaluatePreconditions(
  conditions: ConditionalHeaders,
  etag: string,
  lastModified: string,
): 'proceed' | 'not-modified' | 'failed' {
  if (conditions.ifMatch !== '') {
    if (!listsTag(conditions.ifMatch, etag, false)) return 'failed';
  } else if (conditions.ifUnmodifiedSince !== '') {
    const limit = Date.parse(conditions.ifUnmodifiedSince);
    if (!Number.isNaN(limit) && Date.parse(lastModified) > limit) return 'failed';
  }
  if (conditions.ifNoneMatch !== '') {
    return listsTag(conditions.ifNoneMatch, etag, true) ? 'not-modified' : 'proceed';
  }
  return conditions.ifModifiedSince !== '' && conditions.ifModifiedSince === lastModified
    ? 'not-modified'
    : 'proceed';
}

/** True when a Range may be honoured: no If-Range, or one that names exactly this representation. */
export function rangeStillApplies(ifRange: string, etag: string, lastModified: string): boolean {
  return ifRange === '' || ifRange === etag || ifRange === lastModified;
}

/** True when a list of entity tags, or `*`, contains the tag; weak comparison ignores the `W/` prefix. */
export function listsTag(list: string, etag: string, weak: boolean): boolean {
  if (list === etag || list.trim() === '*') return true;
  return list.split(',').some((entry) => {
    const tag = entry.trim();
    return (weak && tag.startsWith('W/') ? tag.slice(2) : tag) === etag;
  });
}
