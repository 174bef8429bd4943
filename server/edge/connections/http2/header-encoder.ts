import { huffmanLength, pushHuffman } from './huffman.ts';
import { STATIC_FIELDS } from './static-fields.ts';

/** Indexes of the static table by name, the first of each. */
const NAME_INDEXES = new Map<string, number>();
const STATUS_INDEXES = new Map<string, number>();
for (const [at, [name, value]] of STATIC_FIELDS.entries()) {
  if (!NAME_INDEXES.has(name)) NAME_INDEXES.set(name, at + 1);
  if (name === ':status') STATUS_INDEXES.set(value, at + 1);
}
const STATUS_INDEX = NAME_INDEXES.get(':status') ?? 0;
const DATE_INDEX = NAME_INDEXES.get('date') ?? 0;

/** A valid HTTP/2 name: the characters of a token, none of them upper case. */
const VALID_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Connection-specific fields are not allowed in HTTP/2 (RFC 9113, 8.2.2). */
const CONNECTION_NAMES = new Set(
  'connection http2-settings keep-alive proxy-connection transfer-encoding upgrade'.split(' '),
);
/** No control characters except tab; nothing beyond Latin-1. */
const VALID_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const DATE_LENGTH = 29;

/**
 * Encodes a head with HPACK (RFC 7541), the date last. It adds nothing to the client's table, so that one
 * head serves every connection.
 * @param headers names and values, alternating
 * @param date an HTTP date
 * @throws {TypeError} when the status, a name or a value cannot be sent
 */
export function encodeHead(status: number, headers: readonly string[], date: string): Buffer {
  // Lower ones announce another head, and none follows.
  if (status < 200 || status > 599) throw new TypeError(`${status} cannot be sent`);
  const bytes: number[] = [];
  const code = String(status);
  const known = STATUS_INDEXES.get(code);
  if (known !== undefined) pushInteger(bytes, 0x80, 0x7f, known);
  else {
    pushInteger(bytes, 0, 0x0f, STATUS_INDEX);
    pushText(bytes, code);
  }
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase();
    const value = headers[at + 1] ?? '';
    if (!VALID_NAME.test(name) || CONNECTION_NAMES.has(name) || !VALID_VALUE.test(value)) {
      throw new TypeError(`${name} cannot be sent`);
    }
    const index = NAME_INDEXES.get(name) ?? 0;
    pushInteger(bytes, 0, 0x0f, index);
    if (index === 0) pushText(bytes, name);
    pushText(bytes, value);
  }
  // In plain characters, so that another date of the same length can replace it.
  pushInteger(bytes, 0, 0x0f, DATE_INDEX);
  pushInteger(bytes, 0, 0x7f, DATE_LENGTH);
  for (let at = 0; at < DATE_LENGTH; at += 1) bytes.push(date.charCodeAt(at));
  return Buffer.from(bytes);
}

/** Replaces the date of a head. */
export function stampHead(head: Buffer, date: string): void {
  head.write(date, head.length - DATE_LENGTH, DATE_LENGTH, 'latin1');
}

function pushText(bytes: number[], text: string): void {
  const coded = huffmanLength(text);
  if (coded < text.length) {
    pushInteger(bytes, 0x80, 0x7f, coded);
    pushHuffman(bytes, text);
    return;
  }
  pushInteger(bytes, 0, 0x7f, text.length);
  for (let at = 0; at < text.length; at += 1) bytes.push(text.charCodeAt(at));
}

function pushInteger(bytes: number[], pattern: number, prefix: number, value: number): void {
  if (value < prefix) {
    bytes.push(pattern | value);
    return;
  }
  bytes.push(pattern | prefix);
  let rest = value - prefix;
  for (; rest >= 0x80; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
}
