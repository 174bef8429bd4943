import type { Readable } from 'node:stream';
import type { HeaderRule } from './header-rules.ts';
import type { Manifest } from './manifest.ts';
import type { RedirectRule } from './redirect-rules.ts';

/** How the bytes of a stored file are coded: as deployed, or one of the encodings made after it. */
export type BlobEncoding = 'identity' | 'br' | 'gzip';

interface EdgeHostBase {
  /** The custom hostname's endpoint; null at the platform's own names. */
  readonly endpointId: string | null;
  /** There is a certificate that holds: requests without TLS are sent to https. */
  readonly isHttpsOnly: boolean;
  /** Told to browsers over TLS as `Strict-Transport-Security`; 0 tells nothing. */
  readonly strictTransportSeconds: number;
  /** Who pays for its requests; null when nobody counts. */
  readonly meter: EdgeMeter | null;
  /** Nothing is served: its owner was stopped by whoever runs this installation, or it has reached a spending limit. */
  readonly isSuspended: boolean;
  /** It is a spending limit that stops it. */
  readonly isOverLimit?: boolean;
}

/** A hostname of a site. `versionId` is null while nothing has been deployed. */
export interface EdgeSiteHost extends EdgeHostBase {
  readonly kind: 'site' | 'preview';
  readonly siteId: string;
  readonly versionId: string | null;
  /** Unknown paths without a file extension answer `index.html`; set only when the site's owner chose it. */
  readonly spaFallback: boolean;
}

/** A hostname that leads elsewhere. */
export interface EdgeRedirectHost extends EdgeHostBase {
  readonly kind: 'redirect';
  /** An absolute http or https address, onto which path and query of the request are joined. */
  readonly target: string;
}

/** What a hostname points at. */
export type EdgeHost = EdgeSiteHost | EdgeRedirectHost;

/** A certificate with its key. */
export interface EdgeCertificate {
  /** Changes with the certificate: two of the same id are the same. */
  readonly id: string;
  /** PEM, leaf first. */
  readonly chain: string;
  /** PEM. */
  readonly privateKey: string;
}

/** One file of a sealed version. Sizes of encoded copies are null where there is none: not yet, or not worth keeping. */
export interface EdgeFile {
  readonly sha256: string;
  readonly size: number;
  /** The complete header value, charset included (see `contentTypeOf`). */
  readonly contentType: string;
  readonly brotliSize: number | null;
  readonly gzipSize: number | null;
}

/** A sealed version; but for encoded copies it never changes, so the edge may keep it as long as it likes. */
export interface EdgeVersion {
  readonly id: string;
  /** Epoch milliseconds; served as Last-Modified. */
  readonly sealedAt: number;
  readonly files: Manifest;
  /** How far the making of encoded copies had come; null or absent when all are made. */
  readonly copiesAfter?: string | null;
  /** The same for versions whose redirects and headers are the same; null for those of this version alone. */
  readonly rulesId: string | null;
  readonly redirects: readonly RedirectRule[];
  readonly headers: readonly HeaderRule[];
}

/** Encoded copies of files of a version, made since its edge last asked. */
export interface EdgeCopies {
  readonly copies: readonly {
    readonly path: string;
    readonly brotliSize: number | null;
    readonly gzipSize: number | null;
  }[];
  /** What to ask with next; null when all copies of the version are made. */
  readonly after: string | null;
  /** False: there are more at once. */
  readonly isAll: boolean;
}

/** An open blob with random access. The edge shares one handle between requests and closes it once. */
export interface BlobHandle {
  readonly size: number;
  /** True when `read` is a cheap local call; otherwise long transfers use `stream`. */
  readonly isLocal: boolean;
  /** Fills `buffer` from `position`; answers how many bytes were read, 0 at the end. */
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  /** The bytes from `start` to `end`, both included. */
  stream(start: number, end: number): Readable;
  close(): Promise<void>;
}

/** One answer as metering sees it. */
export interface EdgeAnswerRecord {
  readonly status: number;
  /** True when the body came from memory, or there was none to read. */
  readonly isCacheHit: boolean;
  /** Turned away because the host may not be served: counted apart. */
  readonly isRefused: boolean;
  /** The address of the deployed file that was answered, decoded, with a slash in front; null for every other answer. */
  readonly path: string | null;
}

/**
 * Counts what a host's requests cost. Bytes are those on the wire, heads and bodies, without TLS. It is called on the hot path,
 * never throws and never waits.
 */
export interface EdgeMeter {
  /** Once for each answer, when its first bytes are written; `bytes` are those written so far. */
  count(answer: EdgeAnswerRecord, bytes: number): void;
  /** Bytes of an answer that were written later; negative when some that were counted never left. */
  add(answer: EdgeAnswerRecord, bytes: number): void;
}

/**
 * All that the edge needs from the rest of the product. A rejected promise means "cannot say now": the edge then goes on with
 * what it knows. Null means "does not exist".
 */
export interface EdgePorts {
  /** `hostname` is lower case, without port and trailing dot. */
  resolveHost(hostname: string): Promise<EdgeHost | null>;
  /** The certificate for a TLS server name: its own, else the wildcard of its parent. Without this there is no https. */
  findCertificate?(hostname: string): Promise<EdgeCertificate | null>;
  loadVersion(versionId: string): Promise<EdgeVersion | null>;
  /** Copies made since the version stood at `after` (`copiesAfter`); null when there is no such version any more. */
  findNewCopies?(versionId: string, after: string): Promise<EdgeCopies | null>;
  /** Versions of the site replaced less than 7 days ago, newest first. */
  findReplacedVersions(siteId: string): Promise<readonly string[]>;
  openBlob(sha256: string, encoding: BlobEncoding): Promise<BlobHandle | null>;
  /** An encoded copy that a version names is not what it should be: it is worth making again. Never throws. */
  reportLostCopy?(sha256: string, encoding: BlobEncoding): void;
}
