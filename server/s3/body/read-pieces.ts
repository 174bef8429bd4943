import type { PieceBody } from '../call.ts';
import { lostContent } from '../lost-content.ts';
import type { PieceHandle, S3Piece, S3Ports } from '../ports.ts';

/** Content up to this is answered from memory: opening a stream takes longer than reading it. */
const WHOLE_BYTES_MAX = 64 * 1024;

/** Pieces that follow one another. */
export type PieceList = readonly Pick<S3Piece, 'id' | 'size' | 'content'>[];

/** A part of their content. */
export interface Span {
  readonly start: number;
  readonly length: number;
}

/** Returns content that is small and lies in one piece; null for any other. */
export async function readWhole(
  ports: Pick<S3Ports, 'readPiece'>,
  pieces: PieceList,
  { start, length }: Span,
): Promise<Buffer | null> {
  const [piece, ...more] = pieces;
  if (piece === undefined || more.length > 0 || length > WHOLE_BYTES_MAX) return null;
  const bytes = piece.content
    ? Buffer.from(piece.content.subarray(start, start + length))
    : await ports.readPiece(piece.id, { start, length });
  if (bytes === null) throw isGone(piece.id);
  if (bytes.byteLength !== length) throw endsEarly(length - bytes.byteLength);
  return bytes;
}

/** The bytes of pieces one after another; each is opened when its turn has come. */
export function bodyOf(ports: Pick<S3Ports, 'openPiece'>, pieces: PieceList, span: Span): PieceBody {
  return {
    length: span.length,
    read: (portionBytes) =>
      readPieces(ports, pieces, span, (handle, start, end) => readInTurns(handle, start, end, portionBytes)),
  };
}

/** The same for callers that keep the bytes for longer. */
export function keptBytes(
  ports: Pick<S3Ports, 'openPiece'>,
  pieces: PieceList,
  span: Span,
): AsyncIterable<Uint8Array> {
  return readPieces(ports, pieces, span, (handle, start, end) => handle.stream(start, end));
}

type ReadHandle = (handle: PieceHandle, start: number, end: number) => AsyncIterable<Uint8Array>;

async function* readPieces(
  ports: Pick<S3Ports, 'openPiece'>,
  pieces: PieceList,
  { start, length }: Span,
  readHandle: ReadHandle,
): AsyncGenerator<Uint8Array, void, undefined> {
  let skipped = start;
  let left = length;
  for (const { id, size, content } of pieces) {
    if (left === 0) return;
    if (skipped >= size) {
      skipped -= size;
      continue;
    }
    const end = Math.min(size, skipped + left) - 1;
    if (content) yield content.subarray(skipped, end + 1);
    else yield* readStored(ports, { id, size }, (handle) => readHandle(handle, skipped, end));
    left -= end - skipped + 1;
    skipped = 0;
  }
  if (left > 0) throw endsEarly(left);
}

async function* readStored(
  ports: Pick<S3Ports, 'openPiece'>,
  { id, size }: Pick<S3Piece, 'id' | 'size'>,
  read: (handle: PieceHandle) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await ports.openPiece(id);
  if (handle === null) throw isGone(id);
  try {
    // Seen here, a piece that was cut off is found before its first byte is sent.
    if (handle.size < size) throw endsEarly(size - handle.size);
    yield* read(handle);
  } finally {
    await handle.close();
  }
}

/** Reads into two buffers in turns: while one is sent, the other is filled. */
async function* readInTurns(
  handle: PieceHandle,
  start: number,
  end: number,
  portionBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!handle.isLocal) {
    yield* handle.stream(start, end) as AsyncIterable<Uint8Array>;
    return;
  }
  const bytes = Math.min(portionBytes, end - start + 1);
  const buffers = [Buffer.allocUnsafe(bytes), Buffer.allocUnsafe(bytes)];
  for (let at = start, turn = 0; at <= end; turn += 1) {
    const target = buffers[turn % 2] ?? Buffer.allocUnsafe(bytes);
    const read = await handle.read(target, 0, Math.min(bytes, end - at + 1), at);
    if (read === 0) throw endsEarly(end - at + 1);
    yield target.subarray(0, read);
    at += read;
  }
}

function isGone(id: string): Error {
  return lostContent(`the stored piece ${id} is gone`);
}

function endsEarly(bytes: number): Error {
  return lostContent(`the stored pieces end ${bytes} bytes too early`);
}
