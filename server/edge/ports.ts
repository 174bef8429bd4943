import type { Readable } from 'node:stream';
import type { Manifest } from './manifest.ts';
import type { HeaderRule } from './rules/header-rules.ts';
import type { RedirectRule } from './rules/redirect-rules.ts';

/** How the bytes of a stored file are encoded: as deployed, or in one of the encodings made after it. */
export type BlobEncoding = 'identity' | 'br' | 'gzip';

interface EdgeHostBase {
  /** The custom hostname's endpoint; null at the platform's own names. */
  readonly endpointId: string | null;
  /** There is a valid certificate: requests without TLS are redirected to https. */
  readonly isHttpsOnly: boolean;
  /** Sent to browsers over TLS as `Strict-Transport-Security`; 0 sends none. */
  readonly strictTransportSeconds: number;
  /** Counts the requests for billing; null when they are not counted. */
  readonly meter: EdgeMeter | null;
  /** Nothing is served: its organization is suspended, or has reached a spending limit. */
  readonly isSuspended: boolean;
  /** A spending limit is the reason. */
  readonly isOverLimit?: boolean;
}

/** A hostname of a site. `versionId` is null while nothing has been deployed. */
export interface EdgeSiteHost extends EdgeHostBase {
  readonly kind: 'site' | 'preview';
  readonly siteId: string;
  readonly versionId: string | null;
  /** Unknown paths without a file extension serve `index.html`; only set when the site's owner chose it. */
  readonly spaFallback: boolean;
}

/** A hostname that redirects. */
export interface EdgeRedirectHost extends EdgeHostBase {
  readonly kind: 'redirect';
  /** An absolute http or https address, to which path and query of the request are appended. */
  readonly target: string;
}

/** What a hostname leads to. */
export type EdgeHost = EdgeSiteHost | EdgeRedirectHost;

/** A certificate with its key. */
export interface EdgeCertificate {
  /** Changes with the certificate: two with the same id are the same. */
  readonly id: string;
  /** PEM, leaf first. */
  readonly chain: string;
  /** PEM. */
  readonly privateKey: string;
}

/**
 * One file of a sealed version. The size of an encoded copy is null when there is none: not yet, or not worth
 * keeping.
 */
export interface EdgeFile {
  readonly sha256: string;
  readonly size: number;
  /** The complete header value, including the charset (see `contentTypeOf`). */
  readonly contentType: string;
  readonly brotliSize: number | null;
  readonly gzipSize: number | null;
}

/**
 * A sealed version; it never changes except for encoded copies, so the edge may keep it for any time.
 */
export interface EdgeVersion {
  readonly id: string;
  /** Epoch milliseconds; served as Last-Modified. */
  readonly sealedAt: number;
  readonly files: Manifest;
  /** How far encoded copies had been made; null or absent when all are made. */
  readonly copiesAfter?: string | null;
  /** The same for versions with identical redirects and headers; null for those of this version alone. */
  readonly rulesId: string | null;
  readonly redirects: readonly RedirectRule[];
  readonly headers: readonly HeaderRule[];
}

/** Encoded copies of a version's files, made since the edge last asked. */
export interface EdgeCopies {
  readonly copies: readonly {
    readonly path: string;
    readonly brotliSize: number | null;
    readonly gzipSize: number | null;
  }[];
  /** The `after` of the next call; null when all copies of the version are made. */
  readonly after: string | null;
  /** False when more are available immediately. */
  readonly isAll: boolean;
}

/** An open blob with random access. The edge shares one handle between requests and closes it once. */
export interface BlobHandle {
  readonly size: number;
  /** True when `read` is a cheap local call; otherwise long transfers use `stream`. */
  readonly isLocal: boolean;
  /** Fills `buffer` from `position`; returns how many bytes were read, 0 at the end. */
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  /** The bytes from `start` to `end`, inclusive. */
  stream(start: number, end: number): Readable;
  close(): Promise<void>;
}

/** One response for metering. */
export interface EdgeResponseRecord {
  readonly status: number;
  /** True when the body came from memory, or there was none to read. */
  readonly isCacheHit: boolean;
  /** Refused because the host may not be served: counted separately. */
  readonly isRefused: boolean;
  /**
   * The address of the deployed file that was served, decoded, with a leading slash; null for every other
   * answer.
   */
  readonly path: string | null;
}

/**
 * Counts the traffic of a host's requests. Bytes are those on the wire, headers and bodies, without TLS.
 * Called on the hot path; never throws and never waits.
 */
export interface EdgeMeter {
  /** Called once for each response, when its first bytes are written; `bytes` are those written so far. */
  count(response: EdgeResponseRecord, bytes: number): void;
  /**
   * Called for bytes of a response that were written later; negative when some that were counted were never
   * sent.
   */
  add(response: EdgeResponseRecord, bytes: number): void;
}

/**
 * Everything that the edge needs from the rest of the product. A rejected promise means "currently unknown":
 * the edge then continues with what it knows. Null means "does not exist".
 */
export interface EdgePorts {
  /**
   * Runs a look-up on behalf of a visitor, as `visitorOf` names it: one who sends hundreds of made-up names delays no
   * other. Without it, all look-ups are equal.
   */
  forVisitor?<T>(visitor: string, lookUp: () => Promise<T>): Promise<T>;
  /** `hostname` is lower case, without port and trailing dot. */
  resolveHost(hostname: string): Promise<EdgeHost | null>;
  /**
   * Recalls the last known state of a hostname after `resolveHost` has failed with `error`; null when it may
   * not be used.
   */
  recallHost?(hostname: string, error: unknown): Promise<EdgeHost | null>;
  /**
   * Returns the certificate for a TLS server name: its own, else the wildcard of its parent. Without this
   * there is no https.
   */
  findCertificate?(hostname: string): Promise<EdgeCertificate | null>;
  /** The same as `recallHost`, for `findCertificate`. */
  recallCertificate?(hostname: string, error: unknown): Promise<EdgeCertificate | null>;
  loadVersion(versionId: string): Promise<EdgeVersion | null>;
  /**
   * Returns the copies made since the version's position `after` (`copiesAfter`); null when the version no
   * longer exists.
   */
  findNewCopies?(versionId: string, after: string): Promise<EdgeCopies | null>;
  /** Returns versions of the site replaced less than 7 days ago, newest first. */
  findReplacedVersions(siteId: string): Promise<readonly string[]>;
  openBlob(sha256: string, encoding: BlobEncoding): Promise<BlobHandle | null>;
  /**
   * Reports that stored content is missing or wrong: an encoded copy, which should be recreated, or a file
   * itself. Never throws.
   */
  reportLostCopy?(sha256: string, encoding: BlobEncoding): void;
}
