import { CLASS, encodeName, encodeText, HEADER_BYTES, OPCODE, POINTER, TYPE } from '../dns/wire.ts';

/** An answer to an update, as far as we need it. */
export interface UpdateAnswer {
  id: number;
  rcode: number;
  /** Null when it is not signed. */
  signature: Signature | null;
}

export interface Signature {
  /** Where the record begins: everything before it is signed. */
  startOffset: number;
  keyName: string;
  algorithm: string;
  /** Seconds since 1970. */
  time: number;
  fudgeSeconds: number;
  mac: Buffer;
  originalId: number;
  error: number;
  other: Buffer;
}

/** Returns an RFC 2136 update, not yet signed: the texts replace all texts of the name in one step. */
export function buildUpdate(id: number, zone: string, name: string, texts: readonly string[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(OPCODE.update << 11, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(1 + texts.length, 8);
  const owner = encodeName(name);
  return Buffer.concat([
    header,
    encodeName(zone),
    numbers16(TYPE.soa, CLASS.in),
    // Class ANY without data deletes every text of this name.
    record(owner, CLASS.any, Buffer.alloc(0)),
    ...texts.map((text) => record(owner, CLASS.in, encodeText(text))),
  ]);
}

/** Parses a server's answer. @throws RangeError when it cannot be read */
export function readUpdateAnswer(message: Buffer): UpdateAnswer {
  const questions = message.readUInt16BE(4);
  const additionals = message.readUInt16BE(10);
  const total = message.readUInt16BE(6) + message.readUInt16BE(8) + additionals;
  let offset = HEADER_BYTES;
  for (let index = 0; index < questions; index += 1) offset = readName(message, offset).endOffset + 4;
  let signature: Signature | null = null;
  for (let index = 0; index < total; index += 1) {
    const startOffset = offset;
    const { name, endOffset } = readName(message, offset);
    const dataOffset = endOffset + 10;
    offset = dataOffset + message.readUInt16BE(endOffset + 8);
    if (offset > message.length) throw new RangeError('a record is cut off');
    const isLast = index === total - 1 && additionals > 0;
    if (isLast && message.readUInt16BE(endOffset) === TYPE.tsig) {
      signature = { startOffset, keyName: name, ...readSignature(message, dataOffset) };
    }
  }
  return { id: message.readUInt16BE(0), rcode: message.readUInt16BE(2) & 0xf, signature };
}

function readSignature(message: Buffer, start: number): Omit<Signature, 'startOffset' | 'keyName'> {
  const { name: algorithm, endOffset } = readName(message, start);
  const macBytes = message.readUInt16BE(endOffset + 8);
  const rest = endOffset + 10 + macBytes;
  return {
    algorithm,
    time: message.readUIntBE(endOffset, 6),
    fudgeSeconds: message.readUInt16BE(endOffset + 6),
    mac: message.subarray(endOffset + 10, rest),
    originalId: message.readUInt16BE(rest),
    error: message.readUInt16BE(rest + 2),
    other: message.subarray(rest + 6, rest + 6 + message.readUInt16BE(rest + 4)),
  };
}

/**
 * Reads a name in lower case. Each pointer must lead further back than the one before, so that reading ends.
 */
function readName(message: Buffer, start: number): { name: string; endOffset: number } {
  const labels: string[] = [];
  let offset = start;
  let earliest = start;
  let endOffset: number | null = null;
  for (;;) {
    const length = message.readUInt8(offset);
    if (length === 0) return { name: labels.join('.'), endOffset: endOffset ?? offset + 1 };
    if ((length & POINTER) === POINTER) {
      const target = message.readUInt16BE(offset) & 0x3fff;
      if (target >= earliest) throw new RangeError('a name does not point back');
      endOffset ??= offset + 2;
      earliest = target;
      offset = target;
    } else {
      labels.push(message.toString('latin1', offset + 1, offset + 1 + length).toLowerCase());
      offset += 1 + length;
    }
  }
}

function record(owner: Buffer, recordClass: number, data: Buffer): Buffer {
  return Buffer.concat([owner, numbers16(TYPE.txt, recordClass), numbers16(0, 0, data.length), data]);
}

/** Encodes these numbers in two bytes each. */
export function numbers16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}
