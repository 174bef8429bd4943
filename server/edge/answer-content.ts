import type { FoundFile } from './decide.ts';
import { type EdgeParts, type EdgeReply, reply } from './edge-exchange.ts';
import type { ByteRange } from './fields/byte-range.ts';
import { encodePath } from './fields/request-path.ts';
import type { HostEntry } from './host-directory.ts';
import { lostContent } from './lost-content.ts';
import type { CachedBody } from './memory/body-cache.ts';
import type { BlobEncoding } from './ports.ts';
import { rememberResponse } from './ready-response.ts';
import type { SiteView } from './site-view.ts';
import { withStrictTransport } from './tls/strict-transport.ts';

/** A response whose head is decided. */
export interface DecidedResponse {
  readonly entry: HostEntry;
  readonly view: SiteView;
  /** The decoded path of the request. */
  readonly path: string;
  readonly found: FoundFile;
  readonly isOwnAddress: boolean;
  readonly status: number;
  readonly headers: string[];
  readonly counted: string | null;
  readonly encoding: BlobEncoding;
  readonly etag: string;
  /** Of the whole file or copy. */
  readonly size: number;
  /** Null for the whole. */
  readonly part: ByteRange | null;
}

type Reply = EdgeReply | Promise<EdgeReply>;

/**
 * Returns the reply with its body, from memory or as a blob to stream.
 * @param answerAgain decides once more, without the encoded copy that turned out to be lost
 */
export function answerWithContent(
  parts: EdgeParts,
  response: DecidedResponse,
  answerAgain: () => Reply,
): Reply {
  const { encoding, size } = response;
  const { sha256 } = response.found.file;
  const isCacheable = size <= parts.cachedFileBytesMax;
  const known = isCacheable ? parts.bodies.peek(sha256, encoding, size) : null;
  if (known !== null) return finish(parts, response, known, true);
  const goWithout = (error: unknown): Reply => {
    forgetCopy(parts, response, error);
    return answerAgain();
  };
  const withoutContent = (): Reply => {
    if (encoding === 'identity') {
      parts.lostCopies.reportFile(sha256);
      // What replaces a damaged file is another file of the store.
      parts.handles.drop(sha256, encoding);
    }
    return goWithout(lostContent(`blob ${sha256} (${encoding}) is missing or damaged`));
  };
  if (!isCacheable || parts.bodies.isBusyFor(size)) {
    return parts.handles.acquire(sha256, encoding).then((lease) => {
      if (lease === null) return withoutContent();
      if (lease.handle.size !== size) {
        lease.release();
        return withoutContent();
      }
      const { status, headers, entry, counted } = response;
      const { start, end } = response.part ?? { start: 0, end: size - 1 };
      const head = reply({ status, headers, entry, isCacheHit: false, path: counted });
      return { ...head, blob: { lease, start, end } };
    }, goWithout);
  }
  return parts.bodies
    .load(sha256, encoding, size)
    .then(
      (loaded) => (loaded === null ? withoutContent() : finish(parts, response, loaded, false)),
      goWithout,
    );
}

/** Makes the file itself be served from now on. @throws the error when it was the file itself that is lost */
function forgetCopy(parts: EdgeParts, { view, found, encoding }: DecidedResponse, error: unknown): void {
  if (encoding === 'identity') throw error;
  const { sha256 } = found.file;
  parts.lostCopies.add(sha256, encoding, error);
  // A recreated copy may have another size: the store and the version are read again.
  parts.handles.drop(sha256, encoding);
  view.copiesAfter = '';
}

function finish(
  parts: EdgeParts,
  response: DecidedResponse,
  cached: CachedBody,
  isCacheHit: boolean,
): EdgeReply {
  const { view, found, isOwnAddress, status, headers, entry, counted, part } = response;
  const { body } = cached;
  if (body === null) throw new Error('a body was evicted before it was sent');
  // Ready bytes are created at the second request: a file requested only once is not worth them.
  const isCurrent = view.rules.files.get(found.path) === found.file;
  if (isCacheHit && isCurrent && isOwnAddress && status === 200) rememberReady(parts, response, cached);
  const sent = part === null ? body : body.subarray(part.start, part.end + 1);
  return reply({ status, headers, body: sent, entry, isCacheHit, path: counted });
}

function rememberReady(parts: EdgeParts, response: DecidedResponse, body: CachedBody): void {
  const { view, path, found, headers, encoding, etag } = response;
  const { brotliSize, gzipSize } = found.file;
  const encodings = (brotliSize === null ? 0 : 1) | (gzipSize === null ? 0 : 2);
  const readyHeaders = withStrictTransport(headers, view.strictTransportSeconds);
  const ready = { encoding, encodings, etag, headers: readyHeaders, body, path };
  rememberResponse(view, parts.budget, encodePath(path), ready, parts.clock);
}
