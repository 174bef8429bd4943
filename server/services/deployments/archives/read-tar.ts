import { Readable } from 'node:stream';
import { type Extract, extract } from 'tar-stream';
import { drainedOrClosed } from '#server/concurrency/drained-or-closed.ts';
import { AppError } from '#server/errors.ts';

/** One entry of a tar stream. Its content must be read before the next entry; the rest is skipped. */
export interface TarEntry {
  name: string;
  type: 'file' | 'directory' | 'other';
  /** The type of `other`, for people. */
  kind: string;
  size: number;
  stream: Readable;
  buffer(): Promise<Buffer>;
  discard(): Promise<void>;
}

const END_MARK_BYTES = 1024;
/**
 * What describes an entry and precedes it: a long name, attributes. The parser reads each at once, and its default
 * of four megabytes has room for half a million attributes.
 */
const DESCRIPTION_BYTES_MAX = 256 * 1024;
/** What describes all entries that follow; the parser copies it for each of them. Git writes 52 bytes. */
const COMMON_DESCRIPTION_BYTES_MAX = 4 * 1024;

type Entry = Extract extends AsyncIterable<infer E> ? E : never;

/**
 * Yields the entries of a tar stream while it arrives; nothing is ever written by name.
 * @param options.requireEnd refuses an archive without its end mark, which would be a truncated site
 * @throws archive_invalid for anything that is not a tar or ends too early; the source's own AppError, or
 * upload_interrupted
 */
export async function* readTar(
  content: Readable,
  options: { requireEnd?: boolean } = {},
): AsyncGenerator<TarEntry, void, undefined> {
  const reader = extract();
  boundDescriptions(reader);
  const source = new TarSource(content, reader);
  void source.pump();
  try {
    for await (const entry of reader) {
      yield toTarEntry(entry, source);
      entry.resume();
    }
  } catch (error) {
    throw source.explain(error);
  } finally {
    reader.destroy(null);
    source.stop();
  }
  if (options.requireEnd && !source.hasEndMark()) {
    throw new AppError('archive_invalid', { reason: 'it ends too early' });
  }
}

/** What the parser keeps and does not type. */
interface Inside {
  /** Reads the next header; false when the parser cannot go on. */
  _consumeHeader(): boolean;
  _header: { type: string | null; size: number | null } | null;
  /** Whether that header announces the description of an entry. */
  _longHeader: boolean;
}

/** Fails with archive_invalid before a description that is too long is read. */
function boundDescriptions(reader: Extract): void {
  const inside = insideOf(reader);
  const consumeHeader = inside._consumeHeader.bind(reader);
  inside._consumeHeader = () => {
    const goesOn = consumeHeader();
    if (!goesOn || !inside._longHeader) return goesOn;
    const { type, size } = inside._header ?? {};
    const bytesMax = type === 'pax-global-header' ? COMMON_DESCRIPTION_BYTES_MAX : DESCRIPTION_BYTES_MAX;
    if ((size ?? 0) <= bytesMax) return true;
    const reason = `it has a header of more than ${bytesMax} bytes`;
    reader.destroy(new AppError('archive_invalid', { reason }));
    return false;
  };
}

/** Safe: the tests fail when a version of the parser has other names. */
function insideOf(reader: Extract): Inside {
  return reader as unknown as Inside;
}

/** Feeds the parser, and afterwards distinguishes a failure of the source from one of the parser. */
class TarSource {
  private readonly content: Readable;
  private readonly reader: Extract;
  private failure: AppError | null = null;
  private isStopped = false;
  private trailingZeros = 0;

  constructor(content: Readable, reader: Extract) {
    this.content = content;
    this.reader = reader;
    // Iterating reports the error too; without a listener it would end the process.
    this.reader.on('error', () => undefined);
  }

  async pump(): Promise<void> {
    const chunks: AsyncIterator<unknown> = this.content[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await chunks.next();
        if (this.isStopped) return;
        if (next.done) break;
        if (!(next.value instanceof Uint8Array)) throw new TypeError('content must be bytes');
        this.countZeros(next.value);
        if (!this.reader.write(next.value)) await drainedOrClosed(this.reader);
        if (this.isStopped) return;
      }
      this.reader.end(undefined);
    } catch (error) {
      this.failure =
        error instanceof AppError ? error : new AppError('upload_interrupted', {}, [], { cause: error });
      this.reader.destroy(this.failure);
    }
  }

  stop(): void {
    this.isStopped = true;
  }

  hasEndMark(): boolean {
    return this.trailingZeros >= END_MARK_BYTES;
  }

  /** Returns the error to throw to the sender for an error of the parser. */
  explain(error: unknown): unknown {
    if (this.failure) return this.failure;
    if (error instanceof AppError) return error;
    const reason =
      error instanceof Error && /end of data|prematurely|closed/i.test(error.message)
        ? 'it ends too early'
        : 'it is not a tar archive';
    return new AppError('archive_invalid', { reason }, [], { cause: error });
  }

  private countZeros(chunk: Uint8Array): void {
    let zeros = 0;
    while (zeros < chunk.byteLength && zeros < END_MARK_BYTES && chunk[chunk.byteLength - 1 - zeros] === 0)
      zeros += 1;
    this.trailingZeros = zeros === chunk.byteLength ? this.trailingZeros + zeros : zeros;
  }
}

/** Whether the content is a map of what is not zero, and that, instead of the file. */
function isSparse(attributes: Entry['header']['pax']): boolean {
  return Object.keys(attributes ?? {}).some((name) => name.startsWith('GNU.sparse.'));
}

function toTarEntry(entry: Entry, source: TarSource): TarEntry {
  const { header } = entry;
  const size = header.size ?? 0;
  // What the parser does not support, such as sparse files, has no type.
  const kind: string = isSparse(header.pax) ? 'sparse' : (header.type ?? 'of an unknown kind');
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of entry) {
        if (chunk instanceof Uint8Array) yield chunk;
      }
    } catch (error) {
      throw source.explain(error);
    }
  }
  return {
    name: header.name,
    type:
      kind === 'file' || kind === 'contiguous-file' ? 'file' : kind === 'directory' ? 'directory' : 'other',
    kind,
    size,
    get stream() {
      return Readable.from(chunks(), { objectMode: false });
    },
    // Thousands of small entries are read this way: listening costs a tenth of iterating.
    buffer: () =>
      new Promise((resolve, reject) => {
        const parts: Uint8Array[] = [];
        entry.on('data', (chunk) => chunk instanceof Uint8Array && parts.push(chunk));
        let isWhole = false;
        entry.on('end', () => {
          isWhole = true;
          resolve(Buffer.concat(parts));
        });
        entry.on('error', (error: unknown) => reject(source.explain(error)));
        entry.on('close', () => isWhole || reject(source.explain(new Error('it was closed'))));
      }),
    async discard() {
      for await (const _ of chunks()) {
        // Only the position matters.
      }
    },
  };
}
