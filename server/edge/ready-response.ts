import { STATUS_CODES } from 'node:http';
import { encodingChoices } from '../http-fields/negotiate-encoding.ts';
import type { StreamHeads } from './connections/http2/ready-head.ts';
import type { CachedBody } from './memory/body-cache.ts';
import type { MemoryBudget, Resident } from './memory/memory-budget.ts';
import type { BlobEncoding, EdgeResponseRecord } from './ports.ts';
import type { SiteView } from './site-view.ts';

/** One encoding of a response as bytes for the wire, complete except for the date. */
export interface ReadyVariant extends Resident {
  readonly etag: string;
  /** The fields of the head, for other protocols than HTTP/1.1. */
  readonly headers: readonly string[];
  readonly notModifiedHeaders: readonly string[];
  /** The heads in HTTP/2 form, once they were needed. */
  streamHeads: StreamHeads | null;
  /** The metering records of the full response, and of the 304. */
  readonly record: EdgeResponseRecord;
  readonly notModifiedRecord: EdgeResponseRecord;
  /** The head, followed by the body when it is small. Shared by all connections. */
  wire: Buffer;
  notModified: Buffer;
  readonly bodyBytes: number;
  /** The body of a larger file, held (and evicted) by the body cache; null when it is part of `wire`. */
  readonly body: CachedBody | null;
  /** The epoch second whose date is in `wire` and `notModified`. */
  second: number;
  /** A slow connection still holds `wire` or `notModified`: the next date goes into a copy. */
  isHeld: boolean;
}

/** The response for one address: which encodings exist, and those that are in memory. */
export interface ReadyResponse {
  /** Bit 0 brotli, bit 1 gzip. */
  readonly encodings: number;
  identity: ReadyVariant | null;
  br: ReadyVariant | null;
  gzip: ReadyVariant | null;
}

/**
 * Bodies up to this size are copied behind their head, so that one write sends both; above, a gathered write
 * is cheaper.
 */
const JOINED_BYTES_MAX = 64 * 1024;
/** What an entry costs in addition to its bytes. */
const OVERHEAD_BYTES = 1_500;

const DATE_LENGTH = 29;

/**
 * Formats the status line and head for the wire; the date is at `datePosition(status)`. `isLast`: the
 * connection ends with it.
 */
export function formatHead(status: number, headers: readonly string[], date: string, isLast = false): string {
  const close = isLast ? 'Connection: close\r\n' : '';
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\nDate: ${date}\r\n${close}`;
  for (let index = 0; index < headers.length; index += 2)
    head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${head}\r\n`;
}

function datePosition(status: number): number {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: `.length;
}

const OK_DATE_POSITION = datePosition(200);
const NOT_MODIFIED_DATE_POSITION = datePosition(304);
const CLOSE_FIELD = Buffer.from('\r\nConnection: close');

/**
 * Returns a copy of a `formatHead` result, possibly followed by a body, as the last response of its connection.
 */
export function asLastResponse(wire: Buffer, status: 200 | 304): Buffer {
  const dateEnd = (status === 200 ? OK_DATE_POSITION : NOT_MODIFIED_DATE_POSITION) + DATE_LENGTH;
  return Buffer.concat([wire.subarray(0, dateEnd), CLOSE_FIELD, wire.subarray(dateEnd)]);
}

/** Returns the head fields of a 304: those a cache may update, none about the body that is not sent. */
export function notModifiedHeaders(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (!/^(content-(length|type|encoding)|accept-ranges|last-modified)$/i.test(name)) {
      kept.push(name, headers[index + 1] ?? '');
    }
  }
  return kept;
}

/** Keeps a 200 response in memory under the encoded path of its address. */
export function rememberResponse(
  view: SiteView,
  budget: MemoryBudget,
  address: string,
  response: {
    /** The path listed by metering. */
    path: string;
    encoding: BlobEncoding;
    encodings: number;
    etag: string;
    headers: readonly string[];
    body: CachedBody;
  },
  clock: EdgeClock,
): void {
  const { path, encoding, encodings, etag, headers, body } = response;
  if (body.body === null) return;
  const isJoined = body.body.length <= JOINED_BYTES_MAX;
  const head = Buffer.from(formatHead(200, headers, clock.date), 'latin1');
  const keptHeaders = notModifiedHeaders(headers);
  const notModified = Buffer.from(formatHead(304, keptHeaders, clock.date), 'latin1');
  const wire = isJoined ? Buffer.concat([head, body.body]) : head;
  const known = view.responses.get(address);
  const entry = known ?? { encodings, identity: null, br: null, gzip: null };
  const earlier = entry[encoding];
  if (earlier !== null) budget.remove(earlier);
  const variant: ReadyVariant = {
    // HTTP/2 keeps both heads again.
    bytes: wire.length + head.length + 2 * notModified.length + OVERHEAD_BYTES,
    wasUsed: false,
    evict: () => {
      if (entry[encoding] === variant) entry[encoding] = null;
      const isEmpty = entry.identity === null && entry.br === null && entry.gzip === null;
      if (isEmpty && view.responses.get(address) === entry) view.responses.delete(address);
    },
    etag,
    headers,
    notModifiedHeaders: keptHeaders,
    streamHeads: null,
    record: { status: 200, isCacheHit: true, isRefused: false, path },
    notModifiedRecord: { status: 304, isCacheHit: true, isRefused: false, path },
    wire,
    notModified,
    bodyBytes: body.body.length,
    body: isJoined ? null : body,
    second: clock.second,
    isHeld: false,
  };
  entry[encoding] = variant;
  if (known === undefined) view.responses.set(address, entry);
  budget.add(variant);
}

/** Returns the variant in memory for an Accept-Encoding header, or null. */
export function readyVariant(response: ReadyResponse, acceptEncoding: string): ReadyVariant | null {
  if (response.encodings === 0 || acceptEncoding === '') return response.identity;
  return response[encodingChoices(acceptEncoding)[response.encodings] ?? 'identity'];
}

/**
 * Writes the current date into the bytes of a variant. Bytes that a slow connection still holds are copied
 * first.
 */
export function stampDate(variant: ReadyVariant, clock: EdgeClock): void {
  if (variant.isHeld) {
    variant.wire = Buffer.from(variant.wire);
    variant.notModified = Buffer.from(variant.notModified);
    variant.isHeld = false;
  }
  variant.wire.write(clock.date, OK_DATE_POSITION, DATE_LENGTH, 'latin1');
  variant.notModified.write(clock.date, NOT_MODIFIED_DATE_POSITION, DATE_LENGTH, 'latin1');
  variant.second = clock.second;
}

/** The current second and its HTTP date, formatted at most once per second. */
export class EdgeClock {
  second = 0;
  date = '';
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
    this.tick();
  }

  /** Reads the time and returns it in epoch milliseconds. */
  tick(): number {
    const now = this.now();
    const second = Math.floor(now / 1000);
    if (second !== this.second) {
      this.second = second;
      this.date = new Date(second * 1000).toUTCString();
    }
    return now;
  }
}
