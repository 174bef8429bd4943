import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { contentType } from 'mime-types';

const COMPRESSIBLE = new Set(['.js', '.css', '.svg', '.html', '.json', '.txt', '.map', '.woff']);
const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

type Encoding = 'br' | 'gzip';

interface Asset {
  type: string;
  cacheControl: string;
  encodings: ReadonlySet<Encoding>;
  /** Those of an earlier build are read when they are requested. */
  read(encoding: Encoding | null): Buffer | Promise<Buffer>;
}

const ENDINGS = { br: '.br', gzip: '.gz' } as const satisfies Record<Encoding, string>;
const ENCODINGS: readonly Encoding[] = ['br', 'gzip'];

/** Answers requests for the console's own files; returns false for any other path. */
export type AssetHandler = (request: IncomingMessage, response: ServerResponse, pathname: string) => boolean;

/**
 * Writes compressed copies (`.br`, `.gz`) of every file of the built console once, after a build, so that a
 * start only reads them.
 */
export async function precompressAssets(folder: string): Promise<void> {
  for (const path of await listFiles(folder)) {
    if (!COMPRESSIBLE.has(extname(path))) continue;
    const content = await readFile(path);
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
    await writeFile(`${path}.br`, await brotli(content, options));
    await writeFile(`${path}.gz`, await deflate(content, { level: 9 }));
  }
}

/**
 * Reads the built console into memory and returns its handler. Files below /assets/ carry their hash and never change: those of
 * `earlier` builds, which pages may still be open of, are served from the disk for as long as they are there. An open page asks for
 * the name of the current build to learn whether it is of an earlier one.
 */
export async function loadAssets(
  folder: string,
  { build, earlier }: { build: string; earlier: readonly string[] },
): Promise<AssetHandler> {
  const assets = new Map<string, Asset>();
  for (const earlierFolder of earlier) {
    for (const [name, found] of await findAssets(earlierFolder)) {
      if (name.startsWith(HASHED)) assets.set(name, keptOnDisk(name, found));
    }
  }
  for (const [name, found] of await findAssets(folder)) assets.set(name, await keptInMemory(name, found));
  assets.set(CURRENT_BUILD, {
    type: 'text/plain',
    cacheControl: 'no-store',
    encodings: new Set(),
    read: () => Buffer.from(build),
  });
  return (request, response, pathname) => {
    const asset = assets.get(pathname);
    if (!asset) {
      if (!pathname.startsWith(HASHED)) return false;
      response.writeHead(404, { 'cache-control': 'no-store' }).end();
      return true;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return true;
    }
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const encoding = ENCODINGS.find((each) => asset.encodings.has(each) && accepted.includes(each)) ?? null;
    const send = (body: Buffer) => {
      response.writeHead(200, {
        'content-type': asset.type,
        'content-length': body.length,
        'cache-control': asset.cacheControl,
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
        ...(encoding ? { 'content-encoding': encoding } : {}),
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    const body = asset.read(encoding);
    if (Buffer.isBuffer(body)) send(body);
    // A newer build has removed it.
    else body.then(send, () => response.writeHead(404, { 'cache-control': 'no-store' }).end());
    return true;
  };
}

const HASHED = '/assets/';
const CURRENT_BUILD = '/assets/current-build';

interface FoundAsset {
  path: string;
  encodings: ReadonlySet<Encoding>;
}

/** Returns the files of a build by their names in addresses; one that is being removed has none. */
async function findAssets(folder: string): Promise<Map<string, FoundAsset>> {
  const paths = new Set(await listFiles(folder));
  const isCopy = (path: string) => ENCODINGS.some((each) => path.endsWith(ENDINGS[each]));
  const found = new Map<string, FoundAsset>();
  for (const path of paths) {
    if (isCopy(path)) continue;
    const encodings = new Set(ENCODINGS.filter((each) => paths.has(path + ENDINGS[each])));
    found.set(`/${relative(folder, path).split(sep).join('/')}`, { path, encodings });
  }
  return found;
}

async function keptInMemory(name: string, { path, encodings }: FoundAsset): Promise<Asset> {
  const identity = await readFile(path);
  const encoded = new Map<Encoding | null, Buffer>();
  for (const encoding of encodings) encoded.set(encoding, await readFile(path + ENDINGS[encoding]));
  return { ...describe(name), encodings, read: (encoding) => encoded.get(encoding) ?? identity };
}

function keptOnDisk(name: string, { path, encodings }: FoundAsset): Asset {
  return {
    ...describe(name),
    encodings,
    read: (encoding) => readFile(encoding ? path + ENDINGS[encoding] : path),
  };
}

function describe(name: string): Pick<Asset, 'type' | 'cacheControl'> {
  return {
    type: contentType(extname(name)) || 'application/octet-stream',
    cacheControl: name.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
  };
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
