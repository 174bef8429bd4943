import { AppError } from '../errors.ts';

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
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

/**
 * Parses a JSON text from outside. Its depth and number of values are checked before parsing, in one pass. A
 * key `__proto__` is refused: schemas would silently drop it.
 * @throws invalid_input
 */
export function parseJson(bytes: Buffer): unknown {
  requireBoundedShape(bytes, Math.max(ITEMS_FREE, Math.ceil(bytes.length / BYTES_PER_ITEM)));
  const text = bytes.toString('utf8');
  try {
    // Its underscores may be written as escapes.
    return /__proto__|\\u005f/i.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_input', { reason: 'the body is not JSON' });
  }
}

function requireBoundedShape(bytes: Buffer, itemsMax: number): void {
  let depth = 0;
  let items = 0;
  let isText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (isText) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === COMMA) items += 1;
    else if (byte === BRACKET_OPEN || byte === BRACE_OPEN) {
      depth += 1;
      items += 1;
      if (depth > DEPTH_MAX) {
        throw new AppError('invalid_input', { reason: `the body is nested deeper than ${DEPTH_MAX} levels` });
      }
    } else if (byte === BRACKET_CLOSE || byte === BRACE_CLOSE) depth -= 1;
  }
  if (items > itemsMax) throw new AppError('invalid_input', { reason: 'the body contains too many values' });
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new AppError('invalid_input', { reason: 'a name __proto__ is not allowed' });
  return value;
}
