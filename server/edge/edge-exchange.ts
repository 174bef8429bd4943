import type { BlobHandles, BlobLease } from './blob-handles.ts';
import type { BodyCache } from './body-cache.ts';
import type { EdgeConnection } from './edge-connection.ts';
import type { EdgeLogger } from './edge-logger.ts';
import type { HostDirectory, HostEntry } from './host-directory.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { EdgeAnswerRecord } from './ports.ts';
import type { ConditionalHeaders } from './preconditions.ts';
import type { EdgeClock } from './ready-answer.ts';
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
  readonly budget: MemoryBudget;
  readonly clock: EdgeClock;
  readonly logger: EdgeLogger;
  readonly cachedFileBytesMax: number;
  /** Believes X-Forwarded-Proto. */
  readonly trustProxy: boolean;
  /** The public https address of a hostname, without a slash at the end. */
  readonly secureUrl: (hostname: string) => string;
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
