import type { EdgeRequest } from '../edge-exchange.ts';
import { type EdgeConnection, plainConnection } from './edge-connection.ts';

/** A request parsed without Node's parser. One object is reused: copy it to keep it. */
export class SimpleRequest implements EdgeRequest {
  method = 'GET';
  target = '';
  /** The target without its query. */
  path = '';
  host = '';
  acceptEncoding = '';
  acceptLanguage = '';
  range = '';
  ifRange = '';
  ifMatch = '';
  ifNoneMatch = '';
  ifModifiedSince = '';
  ifUnmodifiedSince = '';
  forwardedProto = '';
  forwardedFor = '';
  referer = '';
  userAgent = '';
  /** The connection ends with the response. */
  isLast = false;
  /** Set by the reader of the connection. */
  connection: EdgeConnection = plainConnection;

  /** Forgets the request before, all but its connection. */
  clear(): void {
    this.method = 'GET';
    this.target = '';
    this.path = '';
    this.host = '';
    this.acceptEncoding = '';
    this.acceptLanguage = '';
    this.range = '';
    this.ifRange = '';
    this.ifMatch = '';
    this.ifNoneMatch = '';
    this.ifModifiedSince = '';
    this.ifUnmodifiedSince = '';
    this.forwardedProto = '';
    this.forwardedFor = '';
    this.referer = '';
    this.userAgent = '';
    this.isLast = false;
  }
}

const HEADERS_MAX = 100;

/** 1 for the characters of a header name (RFC 9110 `token`). */
const TOKEN_CHARACTERS = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  TOKEN_CHARACTERS[character.charCodeAt(0)] = 1;
}

/** 1 for what a header value may contain here: visible ASCII, space and tab. */
const VALUE_CHARACTERS = new Uint8Array(256);
/** 1 for what a target may contain: visible ASCII. */
const TARGET_CHARACTERS = new Uint8Array(256);
for (let code = 33; code < 127; code += 1) {
  VALUE_CHARACTERS[code] = 1;
  TARGET_CHARACTERS[code] = 1;
}
VALUE_CHARACTERS[32] = 1;
VALUE_CHARACTERS[9] = 1;

const NAMES_LOOKED_AT = [
  ...['host', 'range', 'expect', 'upgrade', 'trailer', 'if-range', 'if-match', 'connection', 'if-none-match'],
  ...['content-length', 'accept-encoding', 'accept-language', 'transfer-encoding', 'if-modified-since'],
  ...['if-unmodified-since', 'x-forwarded-proto', 'x-forwarded-for', 'referer', 'user-agent'],
];

interface LookedAtName {
  readonly name: string;
  readonly codes: Uint8Array;
}

/** The names that matter, by length. */
const NAMES_BY_LENGTH: (LookedAtName[] | undefined)[] = [];
for (const name of NAMES_LOOKED_AT) {
  const names = NAMES_BY_LENGTH[name.length] ?? [];
  NAMES_BY_LENGTH[name.length] = names;
  names.push({ name, codes: Buffer.from(name, 'latin1') });
}

/**
 * Returns the name, in lower case, when it is one that matters. Most browser headers end here, before
 * anything is sliced.
 */
function nameLookedAt(bytes: Uint8Array, start: number, length: number): string | null {
  const candidates = NAMES_BY_LENGTH[length];
  if (candidates === undefined) return null;
  for (const { name, codes } of candidates) {
    let at = 0;
    // Setting this bit makes a letter lower case and leaves a hyphen; no other token character becomes
    // either.
    while (at < length && ((bytes[start + at] ?? 0) | 0x20) === codes[at]) at += 1;
    if (at === length) return name;
  }
  return null;
}

/**
 * Parses one plain request (GET or HEAD, HTTP/1.1, complete, without body, every character as the grammar
 * requires) from `start`. Returns the position after it, or 0 for anything else, which Node's own parser then
 * decides: this one never guesses. `text` is `bytes` as Latin-1: bytes are faster to scan, text is faster to
 * slice.
 */
export function readSimpleRequest(
  bytes: Uint8Array,
  text: string,
  start: number,
  request: SimpleRequest,
): number {
  request.clear();
  let position: number;
  if (text.startsWith('GET /', start)) position = start + 4;
  else if (text.startsWith('HEAD /', start)) {
    request.method = 'HEAD';
    position = start + 5;
  } else return 0;

  const targetStart = position;
  // Past the end the byte is undefined; 0 replaces it and is in no table.
  while (TARGET_CHARACTERS[bytes[position] ?? 0] === 1) position += 1;
  if (!text.startsWith(' HTTP/1.1\r\n', position)) return 0;
  request.target = text.slice(targetStart, position);
  const mark = request.target.indexOf('?');
  request.path = mark < 0 ? request.target : request.target.slice(0, mark);
  position += 11;

  for (let count = 0; count <= HEADERS_MAX; count += 1) {
    const nameStart = position;
    if (bytes[position] === 13) return bytes[position + 1] === 10 && request.host !== '' ? position + 2 : 0;
    while (TOKEN_CHARACTERS[bytes[position] ?? 0] === 1) position += 1;
    const nameEnd = position;
    if (nameEnd === nameStart || bytes[position] !== 58) return 0;
    do position += 1;
    while (isBlank(bytes[position]));
    const valueStart = position;
    while (VALUE_CHARACTERS[bytes[position] ?? 0] === 1) position += 1;
    if (bytes[position] !== 13 || bytes[position + 1] !== 10) return 0;
    let valueEnd = position;
    while (valueEnd > valueStart && isBlank(bytes[valueEnd - 1])) valueEnd -= 1;
    position += 2;
    const name = nameLookedAt(bytes, nameStart, nameEnd - nameStart);
    if (name !== null && !takeHeader(request, name, text.slice(valueStart, valueEnd))) return 0;
  }
  return 0;
}

function isBlank(code: number | undefined): boolean {
  return code === 32 || code === 9;
}

/**
 * Keeps a header that the edge uses. False when the request is not plain because of it, including a second
 * one of its kind.
 */
function takeHeader(request: SimpleRequest, name: string, value: string): boolean {
  switch (name) {
    case 'host':
      return keep(request, 'host', value);
    case 'accept-encoding':
      return keep(request, 'acceptEncoding', value);
    case 'accept-language':
      return keep(request, 'acceptLanguage', value);
    case 'range':
      return keep(request, 'range', value);
    case 'if-range':
      return keep(request, 'ifRange', value);
    case 'if-match':
      return keep(request, 'ifMatch', value);
    case 'if-none-match':
      return keep(request, 'ifNoneMatch', value);
    case 'if-modified-since':
      return keep(request, 'ifModifiedSince', value);
    case 'if-unmodified-since':
      return keep(request, 'ifUnmodifiedSince', value);
    case 'x-forwarded-proto':
      return keep(request, 'forwardedProto', value);
    case 'x-forwarded-for':
      return keep(request, 'forwardedFor', value);
    case 'referer':
      request.referer = value;
      return true;
    case 'user-agent':
      request.userAgent = value;
      return true;
    case 'connection':
      return takeConnectionOption(request, value.toLowerCase());
    case 'expect':
    case 'upgrade':
    case 'trailer':
    case 'content-length':
    case 'transfer-encoding':
      return false;
    default:
      return true;
  }
}

function takeConnectionOption(request: SimpleRequest, option: string): boolean {
  if (option === 'close') request.isLast = true;
  return option === 'close' || option === 'keep-alive';
}

function keep(
  request: SimpleRequest,
  field: Exclude<keyof SimpleRequest, 'method' | 'target' | 'path' | 'connection' | 'isLast' | 'clear'>,
  value: string,
): boolean {
  // An empty value is indistinguishable from an absent one, so a second field would go unnoticed.
  if (value === '' || request[field] !== '') return false;
  request[field] = value;
  return true;
}
