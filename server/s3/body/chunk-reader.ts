import { S3Error } from '../s3-error.ts';

/** A chunk's line: its size and signature. No valid line is longer. */
const LINE_BYTES_MAX = 1_024;
const BLANK_LINE = '\r\n';
const EMPTY = Buffer.alloc(0);

/** The refusal of chunks that are not where their sizes put them. */
export function terminatedEarly(): S3Error {
  return new S3Error('IncompleteBody', 'The request body terminated unexpectedly');
}

/** Reads lines and counted bytes from a stream, without buffering more than a chunk of the stream. */
export class ChunkReader {
  private readonly source: AsyncIterator<Buffer>;
  private rest: Buffer = EMPTY;

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /**
   * Returns the next line without its CRLF (a lone LF ends one, too).
   * @throws IncompleteBody
   */
  async line(): Promise<string> {
    for (;;) {
      const at = this.rest.indexOf(0x0a);
      if (at !== -1 && at <= LINE_BYTES_MAX) {
        const line = this.rest.toString('latin1', 0, at);
        this.rest = this.rest.subarray(at + 1);
        return line.endsWith('\r') ? line.slice(0, -1) : line;
      }
      if (this.rest.byteLength > LINE_BYTES_MAX) throw terminatedEarly();
      const more = await this.source.next();
      if (more.done) throw terminatedEarly();
      this.rest = this.rest.byteLength === 0 ? more.value : Buffer.concat([this.rest, more.value]);
    }
  }

  /**
   * Yields exactly this many bytes.
   * @throws IncompleteBody
   */
  async *bytes(count: number): AsyncGenerator<Buffer, void, undefined> {
    let left = count;
    while (left > 0) {
      if (this.rest.byteLength === 0) {
        const more = await this.source.next();
        if (more.done) throw terminatedEarly();
        this.rest = more.value;
      }
      const part = this.rest.subarray(0, left);
      this.rest = this.rest.subarray(part.byteLength);
      left -= part.byteLength;
      if (part.byteLength > 0) yield part;
    }
  }

  /**
   * Returns when nothing follows, or one more blank line, which MinIO's clients send.
   * @throws InvalidRequest
   */
  async end(): Promise<void> {
    let text = this.rest.toString('latin1', 0, BLANK_LINE.length + 1);
    for (;;) {
      if (!BLANK_LINE.startsWith(text))
        throw new S3Error('InvalidRequest', 'Something follows the last chunk.');
      const more = await this.source.next();
      if (more.done) return;
      text += more.value.toString('latin1', 0, BLANK_LINE.length + 1);
    }
  }
}
