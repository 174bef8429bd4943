import { isUtf8 } from 'node:buffer';
import { AppError } from '../../errors.ts';
import { appearsTwice } from '../requests/appears-twice.ts';

/** Deeper than any of our inputs; code that walks a value may be recursive. */
const DEPTH_MAX = 32;
/**
 * Our values take more space than this on average; `[],[],…` is two bytes for each, and a hundred in memory.
 */
const BYTES_PER_ITEM = 16;
/** Even a short text may contain this many values. */
const ITEMS_FREE = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

/**
 * Parses a JSON text from outside. Its depth and number of values are checked before parsing, in one pass. What parsing
 * or a schema would silently drop or change is refused: a name that appears twice in an object, a name `__proto__`,
 * and bytes that are not UTF-8.
 * @throws invalid_input
 */
export function parseJson(bytes: Buffer): unknown {
  const named = requireBoundedShape(bytes, Math.max(ITEMS_FREE, Math.ceil(bytes.length / BYTES_PER_ITEM)));
  if (!isUtf8(bytes)) throw new AppError('invalid_input', { reason: 'the body is not UTF-8' });
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    // Its underscores may be written as escapes.
    value = /__proto__|\\u005f/i.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_input', { reason: 'the body is not JSON' });
  }
  if (countNamed(value) < named) throw appearsTwice(findRepeated(text));
  return value;
}

/** Returns how many values in objects have a name, at all depths. */
function countNamed(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const each of value) count += countNamed(each);
    return count;
  }
  const named = value as Record<string, unknown>;
  for (const name in named) {
    const inner = named[name];
    count += typeof inner === 'object' ? 1 + countNamed(inner) : 1;
  }
  return count;
}

/** Returns the first name that appears twice in one object of a JSON text that has one. */
function findRepeated(text: string): string {
  const open: Set<string>[] = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (token.endsWith(':')) {
      const name: string = JSON.parse(token.slice(0, -1));
      if (open.at(-1)?.has(name)) return name;
      open.at(-1)?.add(name);
    }
  }
  return 'a name';
}

/** Returns how many values have a name. */
function requireBoundedShape(bytes: Buffer, itemsMax: number): number {
  let depth = 0;
  let items = 0;
  let named = 0;
  let isText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (isText) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === COMMA) items += 1;
    else if (byte === COLON) named += 1;
    else if (byte === BRACKET_OPEN || byte === BRACE_OPEN) {
      depth += 1;
      items += 1;
      if (depth > DEPTH_MAX) {
        throw new AppError('invalid_input', { reason: `the body is nested deeper than ${DEPTH_MAX} levels` });
      }
    } else if (byte === BRACKET_CLOSE || byte === BRACE_CLOSE) depth -= 1;
  }
  if (items > itemsMax) throw new AppError('invalid_input', { reason: 'the body contains too many values' });
  return named;
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new AppError('invalid_input', { reason: 'a name __proto__ is not allowed' });
  return value;
}
