import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createEdge } from '#server/edge/create-edge.ts';
import { Manifest } from '#server/edge/manifest.ts';
import type { BlobHandle, EdgeFile, EdgePorts } from '#server/edge/ports.ts';
import { countRequests } from './count-requests.ts';

/**
 * The edge in a separate process, on a folder: `node edge-server.ts PORT FOLDER NAME=SIZE…`. Prints `ready`
 * when it listens. `EDGE_MEMORY_BYTES=0` makes every request a cold one; with `EDGE_SECURE_PORT` it listens
 * there too, with the folder's `certificate.pem` and `key.pem`; with `EDGE_METERING_FOLDER` it counts what it
 * serves into a database there.
 */
const [port = '', folder = '', ...names] = process.argv.slice(2);

const files = new Map<string, EdgeFile>();
for (const entry of names) {
  const [name = '', size = ''] = entry.split('=');
  const hash = createHash('sha256');
  // In pieces: a test measures how much memory it takes to serve a large file.
  for await (const piece of createReadStream(`${folder}/${name}`)) hash.update(piece);
  files.set(name, {
    // An edge keeps what has this hash in memory.
    sha256: hash.digest('hex'),
    size: Number(size),
    contentType: 'application/octet-stream',
    brotliSize: null,
    gzipSize: null,
  });
}
const manifest = Manifest.of(files);
const namesByHash = new Map([...files].map(([name, file]) => [file.sha256, name]));

async function openBlob(sha256: string): Promise<BlobHandle | null> {
  const name = namesByHash.get(sha256);
  if (name === undefined) return null;
  const handle = await open(`${folder}/${name}`);
  const { size } = await handle.stat();
  return {
    size,
    isLocal: true,
    read: async (buffer, offset, length, position) =>
      (await handle.read(buffer, offset, length, position)).bytesRead,
    stream: (start, end) => handle.createReadStream({ start, end, autoClose: false }),
    close: () => handle.close(),
  };
}

const securePort = process.env.EDGE_SECURE_PORT;
const certificate =
  securePort === undefined
    ? null
    : {
        id: 'bench',
        chain: readFileSync(`${folder}/certificate.pem`, 'utf8'),
        privateKey: readFileSync(`${folder}/key.pem`, 'utf8'),
      };

const meteringFolder = process.env.EDGE_METERING_FOLDER;
const metering = meteringFolder === undefined ? null : await countRequests(meteringFolder);

const ports: EdgePorts = {
  findCertificate: async () => certificate,
  resolveHost: async () => ({
    kind: 'site',
    siteId: 'bench',
    endpointId: null,
    isHttpsOnly: false,
    strictTransportSeconds: 0,
    versionId: 'v',
    spaFallback: false,
    isSuspended: false,
    meter: metering?.meterOf() ?? null,
  }),
  loadVersion: async (id) => ({
    id,
    sealedAt: 1_700_000_000_000,
    files: manifest,
    rulesId: null,
    redirects: [],
    headers: [],
  }),
  findReplacedVersions: async () => [],
  openBlob,
};
const silent = () => {};
const memoryBytesMax = process.env.EDGE_MEMORY_BYTES;
const limits = memoryBytesMax === undefined ? {} : { memoryBytesMax: Number(memoryBytesMax) };
const secure =
  certificate === null
    ? {}
    : { secure: { ticketSecret: Buffer.alloc(32), defaultName: 'bench.test', fallback: certificate } };
const edge = createEdge({ ports, logger: { warn: silent, error: silent }, limits, ...secure });
if (edge.secureServer !== null) {
  await new Promise<void>((resolve) => edge.secureServer?.listen(Number(securePort), '127.0.0.1', resolve));
}
edge.server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', async () => {
  await edge.close();
  await metering?.stop();
  process.exit(0);
});
