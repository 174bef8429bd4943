import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { contentType } from 'mime-types';

const COMPRESSIBLE = new Set(['.js', '.css', '.svg', '.html', '.json', '.txt', '.map', '.woff']);
const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

interface Asset {
  type: string;
  cacheControl: string;
  identity: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
}

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
 * Reads the built console into memory and returns its handler. Files below /assets/ carry their hash and
 * never change.
 */
export async function loadAssets(folder: string): Promise<AssetHandler> {
  const assets = new Map<string, Asset>();
  for (const path of await listFiles(folder)) {
    if (path.endsWith('.br') || path.endsWith('.gz')) continue;
    const name = `/${relative(folder, path).split(sep).join('/')}`;
    assets.set(name, {
      type: contentType(extname(path)) || 'application/octet-stream',
      cacheControl: name.startsWith('/assets/')
        ? 'public, max-age=31536000, immutable'
        : 'public, max-age=3600',
      identity: await readFile(path),
      br: await readFile(`${path}.br`).catch(() => null),
      gzip: await readFile(`${path}.gz`).catch(() => null),
    });
  }
  return (request, response, pathname) => {
    const asset = assets.get(pathname);
    if (!asset) return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return true;
    }
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const encoding =
      asset.br && accepted.includes('br') ? 'br' : asset.gzip && accepted.includes('gzip') ? 'gzip' : null;
    const body = (encoding ? asset[encoding] : null) ?? asset.identity;
    response.writeHead(200, {
      'content-type': asset.type,
      'content-length': body.length,
      'cache-control': asset.cacheControl,
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
      ...(encoding ? { 'content-encoding': encoding } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    return true;
  };
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
