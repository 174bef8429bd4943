import type { EdgeConnection } from './connections/edge-connection.ts';
import type { EdgeLogger } from './edge-logger.ts';
import type { ConditionalHeaders } from './fields/preconditions.ts';
import type { HostDirectory, HostEntry } from './host-directory.ts';
import type { LostCopies } from './lost-copies.ts';
import type { BlobHandles, BlobLease } from './memory/blob-handles.ts';
import type { BodyCache } from './memory/body-cache.ts';
import type { MemoryBudget } from './memory/memory-budget.ts';
import type { TransferMemory } from './memory/transfer-memory.ts';
import type { EdgeObserver } from './observer.ts';
import type { EdgePorts, EdgeResponseRecord } from './ports.ts';
import type { EdgeClock } from './ready-response.ts';
import type { SiteView } from './site-view.ts';
import type { SiteViews } from './site-views.ts';

/** A request as every connection handler reads it; absent headers are empty. */
export interface EdgeRequest extends ConditionalHeaders {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly acceptEncoding: string;
  readonly acceptLanguage: string;
  readonly range: string;
  readonly forwardedProto: string;
  readonly forwardedFor: string;
  readonly referer: string;
  readonly userAgent: string;
  readonly connection: EdgeConnection;
}

/** A request for a host that serves a site, and the version from which it is answered. */
export interface SiteRequest {
  readonly request: EdgeRequest;
  readonly entry: HostEntry;
  readonly view: SiteView;
}

/**
 * A response that is not written yet, and its record for metering. Its headers do not include Date and
 * Connection.
 */
export interface EdgeReply extends EdgeResponseRecord {
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  /** The body when it is in memory. */
  readonly body: Buffer | null;
  /** The part of a blob that is the body; the writer releases the lease. Never together with `body`. */
  readonly blob: { readonly lease: BlobLease; readonly start: number; readonly end: number } | null;
  readonly entry: HostEntry | null;
}

/** The shared parts of the edge, created once by `createEdge`. */
export interface EdgeParts {
  readonly directory: HostDirectory;
  readonly views: SiteViews;
  readonly handles: BlobHandles;
  readonly bodies: BodyCache;
  readonly lostCopies: LostCopies;
  readonly budget: MemoryBudget;
  readonly transfers: TransferMemory;
  readonly clock: EdgeClock;
  readonly logger: EdgeLogger;
  readonly observer: EdgeObserver;
  readonly cachedFileBytesMax: number;
  /** Returns the key under which an address counts: the network assigned to one customer of a provider. */
  readonly addressKey: (address: string) => string;
  readonly forVisitor: NonNullable<EdgePorts['forVisitor']>;
  /** Trusts X-Forwarded-Proto and X-Forwarded-For. */
  readonly trustProxy: boolean;
  /** Returns the public https address of a hostname, without a trailing slash. */
  readonly secureUrl: (hostname: string) => string;
  /** Where abuse is reported; null for pages without that link. */
  readonly reportUrl: string | null;
}

/**
 * Returns the visitor whose memory limit a response counts towards: the client or, behind a trusted proxy, the
 * last address in X-Forwarded-For. Empty when the proxy sends none, because its own address is shared by
 * everyone.
 */
export function visitorOf(parts: EdgeParts, clientAddress: string | undefined, forwardedFor: string): string {
  if (!parts.trustProxy) return parts.addressKey(clientAddress ?? '');
  const named = forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim();
  return named === '' ? '' : parts.addressKey(named);
}

/** Returns the length of the body of a response that is sent in full. */
export function bodyBytesOf({ body, blob }: Pick<EdgeReply, 'body' | 'blob'>): number {
  return blob === null ? (body?.length ?? 0) : blob.end + 1 - blob.start;
}

/** What a response consists of whose body, if any, is in memory. */
type ReplyParts = Pick<EdgeReply, 'status' | 'headers' | 'entry' | 'isCacheHit'> &
  Partial<Pick<EdgeReply, 'body' | 'path'>>;

/** Creates a response whose body is in memory, or that has none. Without a `path`, no address is listed for it. */
export function reply({ body = null, path = null, ...parts }: ReplyParts): EdgeReply {
  // Any response of a stopped host counts as refused, including a redirect to https.
  const isRefused = parts.entry?.host?.isSuspended ?? false;
  return { ...parts, body, blob: null, isRefused, path };
}
