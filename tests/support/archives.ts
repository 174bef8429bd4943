import { crc32, deflateRawSync } from 'node:zlib';

/** One entry of a zip archive; what is not given is written as by an honest program. */
export interface ZipEntry {
  name: string;
  content?: string | Buffer;
  /** Stored without compression. */
  isStored?: boolean;
  crc32?: number;
  /** Bit 0 means encrypted. */
  flags?: number;
  method?: number;
  /** A Unix mode, e.g. 0o120777 for a symbolic link. */
  mode?: number;
  declaredSize?: number;
  /** Extra fields in the directory, at most 65,535 bytes. */
  extra?: Buffer;
  /** Points at another entry's local header instead of writing one. */
  sharesHeaderOf?: number;
}

/** Returns a zip archive with exactly these entries, however malformed they are. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '');
    const packed = entry.isStored ? content : deflateRawSync(content);
    const name = Buffer.from(entry.name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(entry.flags ?? 0x800, 2);
    fields.writeUInt16LE(entry.method ?? (entry.isStored ? 0 : 8), 4);
    fields.writeUInt32LE(entry.crc32 ?? crc32(content), 10);
    fields.writeUInt32LE(packed.byteLength, 14);
    fields.writeUInt32LE(entry.declaredSize ?? content.byteLength, 18);
    fields.writeUInt16LE(name.byteLength, 22);
    const own = offset;
    if (entry.sharesHeaderOf === undefined) {
      const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, name, packed]);
      parts.push(local);
      offset += local.byteLength;
    }
    const place = entry.sharesHeaderOf === undefined ? own : (offsets[entry.sharesHeaderOf] ?? 0);
    offsets.push(place);
    const central = Buffer.alloc(46);
    central.write('PK\x01\x02', 0, 'latin1');
    const extra = entry.extra ?? Buffer.alloc(0);
    central.writeUInt16LE(entry.mode === undefined ? 20 : (3 << 8) | 20, 4);
    fields.copy(central, 6);
    central.writeUInt16LE(extra.byteLength, 30);
    central.writeUInt32LE(((entry.mode ?? 0) << 16) >>> 0, 38);
    central.writeUInt32LE(place, 42);
    directory.push(central, name, extra);
  }
  const centralDirectory = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(centralDirectory.byteLength, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, centralDirectory, end]);
}

/** One entry of a tar archive. */
export interface TarEntryOptions {
  name: string;
  content?: string | Buffer;
  /** The type flag: 0 file, 1 hard link, 2 symbolic link, 3 device, 5 folder, S sparse. */
  type?: string;
  linkname?: string;
  declaredSize?: number;
}

/** Returns one entry with its padding. */
export function tarEntry(entry: TarEntryOptions): Buffer {
  const content = Buffer.from(entry.content ?? '');
  const header = Buffer.alloc(512);
  header.write(entry.name, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${(entry.declaredSize ?? content.byteLength).toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(entry.type ?? '0', 156);
  header.write(entry.linkname ?? '', 157, 100);
  header.write('ustar\0' + '00', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((512 - (content.byteLength % 512)) % 512);
  return Buffer.concat([header, content, padding]);
}

/** Returns a tar archive with exactly these entries and its end mark. */
export function tarOf(entries: readonly TarEntryOptions[]): Buffer {
  return Buffer.concat([...entries.map(tarEntry), Buffer.alloc(1024)]);
}

/** Returns files as a tar archive. */
export function tarOfFiles(files: Record<string, string | Buffer>): Buffer {
  return tarOf(Object.entries(files).map(([name, content]) => ({ name, content })));
}

/** Cuts bytes into chunks of odd sizes, like a network. */
export function* inChunks(bytes: Buffer, size = 1000): Generator<Buffer> {
  for (let start = 0; start < bytes.byteLength; start += size) yield bytes.subarray(start, start + size);
}
