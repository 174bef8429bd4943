import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';

/** Returns a tar archive of the given files. */
export async function packTar(files: Record<string, string | Buffer>): Promise<Buffer<ArrayBuffer>> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content);
  archive.finalize();
  return Buffer.from(await buffer(archive));
}

/** Returns the files of a tar.gz archive as text. */
export async function unpackTarGz(archive: Uint8Array): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const extraction = extract();
  extraction.end(gunzipSync(archive));
  for await (const entry of extraction) files[entry.header.name] = (await buffer(entry)).toString();
  return files;
}
