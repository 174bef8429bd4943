import type { BlobHandles, BlobLease } from './blob-handles.ts';
import type { BodyCache } from './body-cache.ts';
import type { EdgeConnection } from './edge-connection.ts';
import type { EdgeLogger } from './edge-logger.ts';
import type { HostDirectory, HostEntry } from './host-directory.ts';
import type { LostCopies } from './lost-copies.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { EdgeAnswerRecord } from './ports.ts';
import type { ConditionalHeaders } from './preconditions.ts';
import type { EdgeClock } from './ready-answer.ts';
import type { SiteViews } from './site-views.ts';
import type { TransferMemory } from './transfer-memory.ts';
import type { EdgeWitness } from './witness.ts';

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

/** An answer that is not written yet, and its record for metering. Its headers leave out Date and Connection. */
export interface EdgeReply extends EdgeAnswerRecord {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** The body when it is in memory. */
  readonly body: Buffer | null;
  /** The part of a blob that is the body; the writer releases the lease. Not both this and `body`. */
  readonly blob: { readonly lease: BlobLease; readonly start: number; readonly end: number } | null;
  readonly entry: HostEntry | null;
}

/** What answering needs, made once by `createEdge`. */
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
  readonly witness: EdgeWitness;
  readonly cachedFileBytesMax: number;
  /** What an address counts as: the network that one customer of a provider has. */
  readonly addressKey: (address: string) => string;
  /** Believes X-Forwarded-Proto and X-Forwarded-For. */
  readonly trustProxy: boolean;
  /** The public https address of a hostname, without a slash at the end. */
  readonly secureUrl: (hostname: string) => string;
  /** Where abuse is reported; null for a page without that link. */
  readonly reportUrl: string | null;
}

/**
 * Whose memory an answer takes: that of the client, or behind a trusted proxy that of the visitor it names, the last in
 * X-Forwarded-For. Nobody's (empty) where the proxy names none: its own address is everybody's.
 */
export function visitorOf(parts: EdgeParts, clientAddress: string | undefined, forwardedFor: string): string {
  if (!parts.trustProxy) return parts.addressKey(clientAddress ?? '');
  const named = forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim();
  return named === '' ? '' : parts.addressKey(named);
}

/** How long the body of an answer is that is sent whole. */
export function bodyBytesOf({ body, blob }: Pick<EdgeReply, 'body' | 'blob'>): number {
  return blob === null ? (body?.length ?? 0) : blob.end + 1 - blob.start;
}

/** An answer whose body, if any, is in memory; `path` as in its record. */
export function reply(
  status: number,
  headers: readonly string[],
  body: Buffer | null,
  entry: HostEntry | null,
  isCacheHit: boolean,
  path: string | null = null,
): EdgeReply {
  // Whatever a stopped host answers is refused, the way to https too.
  const isRefused = entry?.host?.isSuspended ?? false;
  return { status, headers, body, blob: null, isCacheHit, isRefused, path, entry };
}
