import type { DeleteCondition, S3Object, WriteCondition } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { headerOf, type S3Request } from '../s3-request.ts';

/** Whether a list of entity tags contains this one; quotes and weakness do not matter to S3. */
function containsTag(list: string, etag: string): boolean {
  return list
    .split(',')
    .map((tag) => unquote(tag.trim().replace(/^W\//, '')))
    .some((tag) => tag === '*' || tag === etag);
}

export function unquote(tag: string): string {
  return tag.length >= 2 && tag.startsWith('"') && tag.endsWith('"') ? tag.slice(1, -1) : tag;
}

/** In seconds, because headers have no more precision. Null for an invalid date. */
function secondsOf(text: string | null): number | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : Math.floor(at / 1000);
}

/**
 * Evaluates the conditions of a read, in the order of RFC 9110, section 13.2.2. A condition about a time that is yet to come is ignored.
 * @param now epoch milliseconds
 * @param prefix `x-amz-copy-source-` for the source of a copy, where every failed condition is PreconditionFailed
 * @returns whether the client already has the object
 * @throws PreconditionFailed
 */
export function checkReadConditions(
  request: S3Request,
  { etag, modifiedAt }: Pick<S3Object, 'etag' | 'modifiedAt'>,
  now: number,
  prefix: '' | 'x-amz-copy-source-' = '',
): boolean {
  const given = (name: string) => headerOf(request, `${prefix}${name}`);
  const modified = Math.floor(modifiedAt / 1000);
  const failed = (condition: string) =>
    new S3Error('PreconditionFailed', undefined, { Condition: `${prefix}${condition}` });
  const match = given('if-match');
  const unmodifiedSince = secondsOf(given('if-unmodified-since'));
  if (match !== null) {
    if (!containsTag(match, etag)) throw failed('If-Match');
  } else if (unmodifiedSince !== null && modified > unmodifiedSince) throw failed('If-Unmodified-Since');
  const noneMatch = given('if-none-match');
  const modifiedSince = secondsOf(given('if-modified-since'));
  const isKnown =
    noneMatch !== null
      ? containsTag(noneMatch, etag)
      : modifiedSince !== null && modifiedSince <= now / 1000 && modified <= modifiedSince;
  if (isKnown && prefix !== '') throw failed(noneMatch !== null ? 'If-None-Match' : 'If-Modified-Since');
  return isKnown;
}

/**
 * Whether a range is of this version, which If-Range names: a client that goes on with what it has begun must not get a part of
 * something else (RFC 9110, section 13.1.5).
 */
export function isOfVersion(
  named: string | null,
  { etag, modifiedAt }: Pick<S3Object, 'etag' | 'modifiedAt'>,
): boolean {
  if (named === null) return true;
  return unquote(named.trim()) === etag || secondsOf(named) === Math.floor(modifiedAt / 1000);
}

/** Conditions of deletions alone. */
const IF_MODIFIED = 'x-amz-if-match-last-modified-time';
const IF_SIZE = 'x-amz-if-match-size';

/**
 * Returns the condition of a write.
 * @throws NotImplemented for conditions that S3 does not have
 */
export function readWriteCondition(request: S3Request): WriteCondition {
  // Ignoring one would change what must not be changed.
  const unknown = [IF_MODIFIED, IF_SIZE].find((name) => headerOf(request, name) !== null);
  if (unknown !== undefined) throw new S3Error('NotImplemented', undefined, { Header: unknown });
  const [match, noneMatch] = [headerOf(request, 'if-match'), headerOf(request, 'if-none-match')];
  if (match !== null && noneMatch !== null) {
    throw new S3Error('NotImplemented', undefined, {
      Header: 'If-Match,If-None-Match',
      additionalMessage: 'Multiple conditional request headers present in the request',
    });
  }
  if (noneMatch !== null) {
    const etag = unquote(noneMatch.trim());
    if (etag === '*') return { kind: 'absent' };
    // A list or a weak tag does not name the one content that a write replaces.
    if (/^[^",\s/]+$/.test(etag)) return { kind: 'differs', etag };
    throw new S3Error('NotImplemented', undefined, {
      Header: 'If-None-Match',
      additionalMessage: "We don't accept the provided value of If-None-Match header for this API",
    });
  }
  return match === null ? { kind: 'none' } : { kind: 'matches', etag: unquote(match.trim()) };
}

/**
 * Returns the condition of a deletion.
 * @throws NotImplemented, InvalidArgument
 */
export function readDeleteCondition(request: S3Request): DeleteCondition {
  if (headerOf(request, 'if-none-match') !== null) {
    throw new S3Error('NotImplemented', undefined, { Header: 'If-None-Match' });
  }
  return toDeleteCondition({
    etag: headerOf(request, 'if-match'),
    size: headerOf(request, IF_SIZE),
    modifiedAt: headerOf(request, IF_MODIFIED),
  });
}

/**
 * Returns a condition as DeleteObject's headers and the elements of DeleteObjects state it.
 * @throws InvalidArgument
 */
export function toDeleteCondition(said: Record<keyof DeleteCondition, string | null>): DeleteCondition {
  const modifiedAt = secondsOf(said.modifiedAt);
  if (said.modifiedAt !== null && modifiedAt === null) {
    throw S3Error.ofArgument(IF_MODIFIED, said.modifiedAt);
  }
  if (said.size !== null && !/^\d{1,15}$/.test(said.size)) {
    throw S3Error.ofArgument(IF_SIZE, said.size);
  }
  return {
    etag: said.etag === null ? null : unquote(said.etag.trim()),
    size: said.size === null ? null : Number(said.size),
    modifiedAt,
  };
}
