import { afterName, type Edns, ednsOf } from './parse-query.ts';
import { HEADER_BYTES, TYPE } from './wire.ts';

/** Where a header has the number of records of each section, and the bytes of a question behind its name. */
const [QUESTIONS, ANSWERS, AUTHORITIES, ADDITIONALS] = [4, 6, 8, 10];
const QUESTION_BYTES = 4;
const RECORD_BYTES = 10;

/**
 * Returns the first EDNS record of a message that is refused, however little of the rest can be read: its refusal has
 * one too (RFC 6891, 6.1.1 and 7). Null without one. The time is in proportion to the message's length.
 */
export function findEdns(bytes: Buffer): Edns | null {
  let offset: number | null = HEADER_BYTES;
  for (let left = bytes.readUInt16BE(QUESTIONS); left > 0; left -= 1) {
    offset = afterName(bytes, offset);
    if (offset === null) return null;
    offset += QUESTION_BYTES;
  }
  let before = bytes.readUInt16BE(ANSWERS) + bytes.readUInt16BE(AUTHORITIES);
  for (let left = before + bytes.readUInt16BE(ADDITIONALS); left > 0; left -= 1) {
    const fixed = afterName(bytes, offset);
    if (fixed === null || fixed + RECORD_BYTES > bytes.length) return null;
    if (before === 0 && bytes.readUInt16BE(fixed) === TYPE.opt) return ednsOf(bytes, fixed);
    before = Math.max(0, before - 1);
    offset = fixed + RECORD_BYTES + bytes.readUInt16BE(fixed + 8);
  }
  return null;
}
