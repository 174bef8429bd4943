import { ConnectionFault, ERROR, TABLE_BYTES_DEFAULT } from './frames.ts';
import { decodeHuffman } from './huffman.ts';
import { FIELD_OVERHEAD_BYTES, STATIC_FIELDS } from './static-fields.ts';
import { slotOf } from './stream-request.ts';

/** A header field as sent by a client. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
  /** Its meaning in a request; determined once, when the field is read. */
  readonly slot: number;
}

/** Receives the fields of one head, in order. */
export interface FieldSink {
  take(field: HeaderField): void;
}

/** The size that our SETTINGS, which do not name one, allow a client. */
const TABLE_BYTES_MAX = TABLE_BYTES_DEFAULT;
/** No larger number can occur in a valid head. */
const INTEGER_BYTES_MAX = 4;

const staticFields: readonly HeaderField[] = STATIC_FIELDS.map(([name, value]) => makeField(name, value));

function makeField(name: string, value: string): HeaderField {
  return { name, value, slot: slotOf(name, value) };
}

function sizeOf({ name, value }: HeaderField): number {
  return name.length + value.length + FIELD_OVERHEAD_BYTES;
}

/** Decodes the heads of one connection (HPACK, RFC 7541). */
export class HeaderDecoder {
  /** The dynamic table, newest field last. Those before `evicted` have been removed. */
  private fields: (HeaderField | undefined)[] = [];
  private evicted = 0;
  private tableBytes = 0;
  private tableBytesMax = TABLE_BYTES_MAX;
  private bytes: Buffer = Buffer.alloc(0);
  private at = 0;

  /**
   * Passes every field of a head to `sink`.
   * @throws {ConnectionFault} when the bytes are not a head; the tables of both sides differ from then on
   */
  decode(bytes: Buffer, sink: FieldSink): void {
    this.bytes = bytes;
    this.at = 0;
    let isFirst = true;
    while (this.at < bytes.length) {
      const byte = bytes[this.at] ?? 0;
      if (byte >= 0x80) sink.take(this.fieldAt(this.integer(0x7f)));
      else if (byte >= 0x40) {
        const field = this.literal(0x3f);
        this.remember(field);
        sink.take(field);
      } else if (byte >= 0x20) {
        if (!isFirst) throw compressionFault('the table changes its size within a head');
        this.resize(this.integer(0x1f));
        continue;
      } else sink.take(this.literal(0x0f));
      isFirst = false;
    }
  }

  private literal(prefix: number): HeaderField {
    const index = this.integer(prefix);
    if (index === 0) {
      const name = this.text();
      return makeField(name, this.text());
    }
    return makeField(this.fieldAt(index).name, this.text());
  }

  private fieldAt(index: number): HeaderField {
    const field =
      index <= staticFields.length
        ? staticFields[index - 1]
        : this.fields[this.fields.length - (index - staticFields.length)];
    if (field === undefined) throw compressionFault('a field is not in the table');
    return field;
  }

  private integer(prefix: number): number {
    let value = (this.bytes[this.at] ?? 0) & prefix;
    this.at += 1;
    if (value < prefix) return value;
    for (let count = 0; count < INTEGER_BYTES_MAX; count += 1) {
      if (this.at >= this.bytes.length) throw compressionFault('a number is cut off');
      const byte = this.bytes[this.at] ?? 0;
      this.at += 1;
      value += (byte & 0x7f) << (7 * count);
      if (byte < 0x80) return value;
    }
    throw compressionFault('a number is too large');
  }

  private text(): string {
    if (this.at >= this.bytes.length) throw compressionFault('a text is missing');
    const isHuffman = (this.bytes[this.at] ?? 0) >= 0x80;
    const length = this.integer(0x7f);
    const start = this.at;
    const end = start + length;
    if (end > this.bytes.length) throw compressionFault('a text is cut off');
    this.at = end;
    if (!isHuffman) return this.bytes.toString('latin1', start, end);
    const text = decodeHuffman(this.bytes, start, end);
    if (text === null) throw compressionFault('a text is not coded as it says');
    return text;
  }

  private resize(bytes: number): void {
    if (bytes > TABLE_BYTES_MAX) throw compressionFault('the table would be larger than allowed');
    this.tableBytesMax = bytes;
    this.evict(bytes);
  }

  private remember(field: HeaderField): void {
    const bytes = sizeOf(field);
    this.evict(this.tableBytesMax - bytes);
    // A field larger than the table empties it, which is not an error.
    if (bytes > this.tableBytesMax) return;
    this.fields.push(field);
    this.tableBytes += bytes;
  }

  private evict(bytesMax: number): void {
    while (this.tableBytes > bytesMax && this.evicted < this.fields.length) {
      const oldest = this.fields[this.evicted];
      this.fields[this.evicted] = undefined;
      this.evicted += 1;
      if (oldest !== undefined) this.tableBytes -= sizeOf(oldest);
    }
    if (this.evicted > 64 && this.evicted * 2 > this.fields.length) {
      this.fields = this.fields.slice(this.evicted);
      this.evicted = 0;
    }
  }
}

function compressionFault(message: string): ConnectionFault {
  return new ConnectionFault(ERROR.COMPRESSION_ERROR, message);
}
