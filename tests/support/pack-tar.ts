import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

/** Returns a tar archive of the given files. */
export async function packTar(files: Record<string, string | Buffer>): Promise<Buffer<ArrayBuffer>> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content);
  archive.finalize();
  return Buffer.from(await buffer(archive));
}
