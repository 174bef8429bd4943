import type { EdgeRequest } from './answer-request.ts';

/** A request read without node's parser. One object is filled again and again: copy it to keep it. */
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
}

const headersMax = 100;

/** 1 for the characters of a header name (RFC 9110 `token`). */
const tokenCharacters = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  tokenCharacters[character.charCodeAt(0)] = 1;
}

/**
 * Reads one plain request (GET or HEAD, HTTP/1.1, complete, without body, every character as the grammar wants it) from `start`.
 * Answers the position after it, or 0 for anything else, which node's own parser then judges: this one never guesses.
 */
export function readSimpleRequest(text: string, start: number, request: SimpleRequest): number {
  let position: number;
  if (text.startsWith('GET /', start)) {
    request.method = 'GET';
    position = start + 4;
  } else if (text.startsWith('HEAD /', start)) {
    request.method = 'HEAD';
    position = start + 5;
  } else return 0;

  const targetStart = position;
  let mark = -1;
  for (; ; position += 1) {
    const code = text.charCodeAt(position);
    if (code === 32) break;
    // Past the end of the text the code is NaN and no comparison holds.
    if (!(code > 32 && code < 127)) return 0;
    if (code === 63 && mark < 0) mark = position;
  }
  if (!text.startsWith(' HTTP/1.1\r\n', position)) return 0;
  request.target = text.slice(targetStart, position);
  request.path = mark < 0 ? request.target : text.slice(targetStart, mark);
  position += 11;

  request.host = '';
  request.acceptEncoding = '';
  request.acceptLanguage = '';
  request.range = '';
  request.ifRange = '';
  request.ifMatch = '';
  request.ifNoneMatch = '';
  request.ifModifiedSince = '';
  request.ifUnmodifiedSince = '';

  for (let count = 0; count <= headersMax; count += 1) {
    const nameStart = position;
    if (text.charCodeAt(position) === 13) {
      return text.charCodeAt(position + 1) === 10 && request.host !== '' ? position + 2 : 0;
    }
    while (tokenCharacters[text.charCodeAt(position)] === 1) position += 1;
    const nameEnd = position;
    if (nameEnd === nameStart || text.charCodeAt(position) !== 58) return 0;
    do position += 1;
    while (isBlank(text.charCodeAt(position)));
    const valueStart = position;
    for (; ; position += 1) {
      const code = text.charCodeAt(position);
      if (code === 13) break;
      if (!((code >= 32 && code < 127) || code === 9)) return 0;
    }
    if (text.charCodeAt(position + 1) !== 10) return 0;
    let valueEnd = position;
    while (valueEnd > valueStart && isBlank(text.charCodeAt(valueEnd - 1))) valueEnd -= 1;
    position += 2;
    if (!takeHeader(request, text, nameStart, nameEnd, valueStart, valueEnd)) return 0;
  }
  return 0;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** Keeps a header the edge looks at. False when the request is not plain because of it, a second one of a kind included. */
function takeHeader(
  request: SimpleRequest,
  text: string,
  nameStart: number,
  nameEnd: number,
  valueStart: number,
  valueEnd: number,
): boolean {
  // Names of other lengths are not looked at; most headers of a browser end here.
  switch (nameEnd - nameStart) {
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
    case 10:
    case 13:
    case 14:
    case 15:
    case 17:
    case 19:
      break;
    default:
      return true;
  }
  const name = text.slice(nameStart, nameEnd).toLowerCase();
  const value = text.slice(valueStart, valueEnd);
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
    case 'connection':
      return value.toLowerCase() === 'keep-alive';
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

function keep(
  request: SimpleRequest,
  field: Exclude<keyof SimpleRequest, 'method' | 'target' | 'path'>,
  value: string,
): boolean {
  if (request[field] !== '') return false;
  request[field] = value;
  return true;
}
