import {
  CLASS,
  FLAG,
  HEADER_BYTES,
  LABEL_BYTES_MAX,
  NAME_BYTES_MAX,
  OPCODE,
  POINTER,
  RCODE,
  TYPE,
} from './wire.ts';

/** A parsed question. */
export interface Query {
  /** In lower case, the one nearest to the root last; bytes outside ASCII are kept as they are. */
  readonly labels: readonly string[];
  readonly type: number;
  readonly class: number;
  /**
   * Where the question ends: an answer repeats these bytes, so that the client gets back its own spelling.
   */
  readonly endOffset: number;
  /** Null when the client does not use EDNS; then the answer does not either. */
  readonly edns: Edns | null;
}

export interface Edns {
  readonly version: number;
  readonly payloadBytesMax: number;
  readonly isDnssecWanted: boolean;
}

/** A message: a question, one that is refused by its header alone, or one that gets no answer. */
export type Message =
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'refusal'; readonly rcode: number }
  | { readonly kind: 'silence' };

const SILENCE: Message = { kind: 'silence' };
const FORMAT_ERROR: Message = { kind: 'refusal', rcode: RCODE.formatError };
const NOT_IMPLEMENTED: Message = { kind: 'refusal', rcode: RCODE.notImplemented };
const ADDITIONALS_MAX = 2;
const DNSSEC_WANTED = 0x8000;

/**
 * Parses a query. Parsing takes time in proportion to the message's length, whatever it contains: only one
 * question is read, its name cannot contain pointers, and at most two records follow. Answers from other
 * servers are ignored.
 */
export function parseQuery(bytes: Buffer, queryBytesMax: number): Message {
  if (bytes.length < HEADER_BYTES) return SILENCE;
  const flags = bytes.readUInt16BE(2);
  if ((flags & FLAG.response) !== 0) return SILENCE;
  if ((flags & FLAG.opcode) >> 11 !== OPCODE.query) return NOT_IMPLEMENTED;
  const additionals = bytes.readUInt16BE(10);
  const hasShape =
    bytes.readUInt16BE(4) === 1 && bytes.readUInt32BE(6) === 0 && additionals <= ADDITIONALS_MAX;
  if (!hasShape || bytes.length > queryBytesMax) return FORMAT_ERROR;

  const name = readName(bytes, HEADER_BYTES);
  if (name === null || name.endOffset + 4 > bytes.length) return FORMAT_ERROR;
  const endOffset = name.endOffset + 4;
  const edns = readAdditionals(bytes, endOffset, additionals);
  if (edns === undefined) return FORMAT_ERROR;
  const query: Query = {
    labels: name.labels,
    type: bytes.readUInt16BE(name.endOffset),
    class: bytes.readUInt16BE(name.endOffset + 2),
    endOffset,
    edns,
  };
  return query.type === TYPE.opt ? FORMAT_ERROR : { kind: 'query', query };
}

function readName(bytes: Buffer, start: number): { labels: string[]; endOffset: number } | null {
  const labels: string[] = [];
  let offset = start;
  while (offset < bytes.length) {
    const length = bytes[offset] ?? 0;
    if (length === 0) return { labels, endOffset: offset + 1 };
    const next = offset + 1 + length;
    if (length > LABEL_BYTES_MAX || next >= bytes.length || next + 1 - start > NAME_BYTES_MAX) return null;
    labels.push(toLowerCase(bytes.toString('latin1', offset + 1, next)));
    offset = next;
  }
  return null;
}

/** Only A to Z have a case in the DNS; `toLowerCase` alone would change other bytes of a label too. */
function toLowerCase(label: string): string {
  return /[A-Z]/.test(label) ? label.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : label;
}

/** The EDNS record among the additional records; null without one, undefined when they cannot be read. */
function readAdditionals(bytes: Buffer, start: number, count: number): Edns | null | undefined {
  let offset = start;
  let edns: Edns | null = null;
  for (let index = 0; index < count; index += 1) {
    const isRoot = bytes[offset] === 0;
    const fixed = afterName(bytes, offset);
    if (fixed === null || fixed + 10 > bytes.length) return undefined;
    const type = bytes.readUInt16BE(fixed);
    const end = fixed + 10 + bytes.readUInt16BE(fixed + 8);
    if (end > bytes.length) return undefined;
    // We do not use signed questions; a message that claims to be signed cannot be answered as it requests.
    if (type === TYPE.tsig) return undefined;
    if (type === TYPE.opt) {
      if (edns !== null || !isRoot || !hasWholeOptions(bytes, fixed + 10, end)) return undefined;
      edns = ednsOf(bytes, fixed);
    }
    offset = end;
  }
  return offset === bytes.length ? edns : undefined;
}

/** Reads an EDNS record whose owner name ends at `fixed`, without its options. */
export function ednsOf(bytes: Buffer, fixed: number): Edns {
  return {
    payloadBytesMax: bytes.readUInt16BE(fixed + 2),
    version: bytes.readUInt8(fixed + 5),
    isDnssecWanted: (bytes.readUInt16BE(fixed + 6) & DNSSEC_WANTED) !== 0,
  };
}

/** Where the owner name of a record ends; null when it does not. Pointers are not followed. */
export function afterName(bytes: Buffer, start: number): number | null {
  let offset = start;
  while (offset < bytes.length) {
    const length = bytes[offset] ?? 0;
    if (length === 0) return offset + 1;
    if ((length & POINTER) === POINTER) return offset + 2;
    if (length > LABEL_BYTES_MAX) return null;
    offset += 1 + length;
  }
  return null;
}

function hasWholeOptions(bytes: Buffer, start: number, end: number): boolean {
  let offset = start;
  while (offset + 4 <= end) offset += 4 + bytes.readUInt16BE(offset + 2);
  return offset === end;
}

/** Whether a question is in the Internet class, the only one we have records in. */
export function isInternet(query: Query): boolean {
  return query.class === CLASS.in;
}
