/** Numbers from RFC 1035, 3596, 6891, 8482 and 8945. */
export const TYPE = {
  a: 1,
  ns: 2,
  soa: 6,
  hinfo: 13,
  txt: 16,
  aaaa: 28,
  opt: 41,
  ds: 43,
  tsig: 250,
  ixfr: 251,
  axfr: 252,
  any: 255,
} as const;

/** From here to `any`, a type is a kind of question and not of record. */
export const FIRST_META_TYPE = 128;

export const CLASS = { in: 1, any: 255 } as const;

export const RCODE = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  unknownName: 3,
  notImplemented: 4,
  refused: 5,
  badVersion: 16,
} as const;

export const OPCODE = { query: 0, update: 5 } as const;

/** Bits of the second word of a header. */
export const FLAG = {
  response: 0x8000,
  opcode: 0x7800,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
} as const;

export const HEADER_BYTES = 12;
export const LABEL_BYTES_MAX = 63;
export const NAME_BYTES_MAX = 255;
/** The two high bits of a length byte that mean "continue at this offset". */
export const POINTER = 0xc0;

/** Returns a domain name (ASCII, no final dot) as length-prefixed labels, uncompressed. */
export function encodeName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.');
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);
}

/** Returns the RCODE in the header of an answer, without the bits that EDNS adds. */
export function rcodeOf(answer: Buffer): number {
  return answer.readUInt8(3) & 0x0f;
}

/** Returns a text as the character strings of a TXT record, each of at most 255 bytes. */
export function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let start = 0; start === 0 || start < bytes.length; start += 255) {
    const part = bytes.subarray(start, start + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat(parts);
}
