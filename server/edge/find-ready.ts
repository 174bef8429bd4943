import { schemeOf } from './connections/edge-connection.ts';
import type { EdgeParts, EdgeRequest } from './edge-exchange.ts';
import { listsTag } from './fields/preconditions.ts';
import type { HostEntry } from './host-directory.ts';
import { type ReadyVariant, readyVariant } from './ready-response.ts';

/** A response that only has to be written. */
export interface ReadyHit {
  entry: HostEntry;
  variant: ReadyVariant;
  /** False when the client already has it and gets a 304. */
  isModified: boolean;
}

/** Reused: the caller writes the response before the next lookup. */
let hit: ReadyHit | null = null;

/**
 * The hot path of every kind of connection: returns the response to a request when it is ready in memory. `path` is the
 * target without its query.
 */
export function findReady(parts: EdgeParts, request: EdgeRequest, path: string): ReadyHit | null {
  if (request.method !== 'GET' || request.range !== '') return null;
  if (request.ifMatch !== '' || request.ifUnmodifiedSince !== '') return null;
  if (request.ifModifiedSince !== '' && request.ifNoneMatch === '') return null;
  const { isSecure } = request.connection;
  if (isSecure && !request.connection.accepts(request.host)) return null;
  const entry = parts.directory.peek(request.host, parts.clock.tick());
  if (entry === null || entry.slot === null) return null;
  if (entry.isHttpsOnly && schemeOf(isSecure, parts.trustProxy, request.forwardedProto) !== 'https') {
    return null;
  }
  const response = entry.slot.view?.responses.get(path);
  if (response === undefined) return null;
  const variant = readyVariant(response, request.acceptEncoding);
  if (variant === null || (variant.body !== null && variant.body.body === null)) return null;
  const isModified = request.ifNoneMatch === '' || !listsTag(request.ifNoneMatch, variant.etag, true);
  if (hit === null) hit = { entry, variant, isModified };
  else {
    hit.entry = entry;
    hit.variant = variant;
    hit.isModified = isModified;
  }
  return hit;
}
