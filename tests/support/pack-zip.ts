import { crc32, deflateRawSync } from 'node:zlib';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const DEFLATED = 8;
/** Names are UTF-8. */
const UTF8_FLAG = 0x0800;
const VERSION = 20;
/** 1980-01-01, the first day that the format can express. */
const DOS_DATE = 0x0021;

/** Returns a zip archive of the given files, deflated (APPNOTE.TXT 4.3, without Zip64). */
export function packZip(files: Record<string, string | Buffer>): Buffer<ArrayBuffer> {
  const body: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const name = Buffer.from(path);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(UTF8_FLAG, 2);
    common.writeUInt16LE(DEFLATED, 4);
    common.writeUInt16LE(DOS_DATE, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.byteLength, 14);
    common.writeUInt32LE(bytes.byteLength, 18);
    common.writeUInt16LE(name.byteLength, 22);
    body.push(signature(LOCAL_HEADER), common, name, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(signature(CENTRAL_HEADER), u16(VERSION), common, rest, name);
    offset += 4 + common.byteLength + name.byteLength + packed.byteLength;
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(directoryBytes.byteLength, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...body, directoryBytes, signature(END_OF_DIRECTORY), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
