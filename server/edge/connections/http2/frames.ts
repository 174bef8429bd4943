/** Frame types of HTTP/2 (RFC 9113, section 6). */
export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export const FLAG = {
  ACK: 0x1,
  END_STREAM: 0x1,
  END_HEADERS: 0x4,
  PADDED: 0x8,
  PRIORITY: 0x20,
} as const;

/** Error codes (RFC 9113, section 7). */
export const ERROR = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const;

export const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

/** The first bytes of every client. */
export const CLIENT_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
export const FRAME_HEAD_BYTES = 9;
/** The largest payload that either side may send by default. */
export const PAYLOAD_BYTES_MAX = 16_384;
export const WINDOW_MAX = 2 ** 31 - 1;
export const STREAM_ID_MAX = 2 ** 31 - 1;
/** How much may be sent on a stream, or on a connection, before its receiver allows more. */
export const INITIAL_WINDOW = 65_535;
/** The size of either side's HPACK table until its receiver sets another. */
export const TABLE_BYTES_DEFAULT = 4_096;

/** Ends a connection: the client broke a rule of the protocol, or costs too much. */
export class ConnectionFault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Writes the head of a frame into a buffer and returns the position after it. */
export function writeFrameHead(
  target: Buffer,
  at: number,
  payloadBytes: number,
  type: number,
  flags: number,
  streamId: number,
): number {
  target[at] = payloadBytes >> 16;
  target[at + 1] = payloadBytes >> 8;
  target[at + 2] = payloadBytes;
  target[at + 3] = type;
  target[at + 4] = flags;
  writeStreamId(target, at + 5, streamId);
  return at + FRAME_HEAD_BYTES;
}

function writeStreamId(target: Buffer, at: number, streamId: number): void {
  target[at] = streamId >> 24;
  target[at + 1] = streamId >> 16;
  target[at + 2] = streamId >> 8;
  target[at + 3] = streamId;
}

/** Returns a frame whose payload consists of 32-bit numbers. */
function numbersFrame(type: number, streamId: number, numbers: readonly number[]): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + numbers.length * 4);
  let at = writeFrameHead(frame, 0, numbers.length * 4, type, 0, streamId);
  for (const number of numbers) at = frame.writeUInt32BE(number, at);
  return frame;
}

export function resetFrame(streamId: number, code: number): Buffer {
  return numbersFrame(FRAME.RST_STREAM, streamId, [code]);
}

export function windowUpdateFrame(streamId: number, increment: number): Buffer {
  return numbersFrame(FRAME.WINDOW_UPDATE, streamId, [increment]);
}

export function goawayFrame(lastStreamId: number, code: number): Buffer {
  return numbersFrame(FRAME.GOAWAY, 0, [lastStreamId, code]);
}

export function settingsFrame(settings: readonly (readonly [setting: number, value: number])[]): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + settings.length * 6);
  let at = writeFrameHead(frame, 0, settings.length * 6, FRAME.SETTINGS, 0, 0);
  for (const [setting, value] of settings) {
    at = frame.writeUInt16BE(setting, at);
    at = frame.writeUInt32BE(value, at);
  }
  return frame;
}

export const SETTINGS_ACK_FRAME = (() => {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
  writeFrameHead(frame, 0, 0, FRAME.SETTINGS, FLAG.ACK, 0);
  return frame;
})();

/** @param payload eight bytes, sent back unchanged */
export function pingAckFrame(payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + 8);
  frame.set(payload, writeFrameHead(frame, 0, 8, FRAME.PING, FLAG.ACK, 0));
  return frame;
}
