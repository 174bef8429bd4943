import type { PageResponse } from '#server/browser/take-picture.ts';
import type { App } from '#server/context.ts';
import { decide, type FoundFile, type SiteRules } from '#server/edge/decide.ts';
import { compileRedirects } from '#server/edge/rules/redirect-rules.ts';
import { readWholeBlob } from '../deployments/blobs/read-whole-blob.ts';
import { loadEdgeVersion } from './load-edge-version.ts';

/** A file beyond this is left out of a picture. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;
/** How many redirects of its own a front page may lead through. */
const REDIRECTS_MAX = 5;

/** A version as our own browser sees it: the same files, redirects and pages as for visitors, but not metered. */
export interface FrontPage {
  answer(method: string, target: string): Promise<PageResponse | null>;
  /** Returns a file by its path, or null where there is none or it is larger than `bytesMax`. */
  readFile(path: string, bytesMax: number): Promise<Buffer | null>;
}

/** Returns a sealed version to be looked at, or null where its front page is nothing that can be seen. */
export async function openFrontPage(
  app: App,
  { versionId, spaFallback }: { versionId: string; spaFallback: boolean },
): Promise<FrontPage | null> {
  const version = await loadEdgeVersion(app, versionId);
  if (!version) return null;
  const { files } = version;
  const site: SiteRules = { files, findRedirect: compileRedirects(version.redirects), spaFallback };
  const read = async ({ file }: FoundFile, status: number): Promise<PageResponse | null> => {
    if (file.size > FILE_BYTES_MAX) return null;
    const body = await readWholeBlob(app.blobs, file.sha256);
    return body && { status, headers: { 'content-type': file.contentType }, body };
  };
  const page: FrontPage = {
    async answer(method, target) {
      if (method !== 'GET' && method !== 'HEAD') return null;
      const intent = decide(target, site);
      switch (intent.kind) {
        case 'file':
          return read(intent.found, 200);
        case 'redirect':
          return { status: intent.status, headers: { location: intent.location }, body: Buffer.alloc(0) };
        case 'missing':
          return intent.page ? read(intent.page, 404) : { status: 404, headers: {}, body: Buffer.alloc(0) };
        case 'bad-request':
          return null;
      }
    },
    async readFile(path, bytesMax) {
      const file = files.get(path);
      return file && file.size <= bytesMax ? readWholeBlob(app.blobs, file.sha256) : null;
    },
  };
  return page;
}

/** Whether a site shows a page of HTML at its address. */
export async function hasFrontPage(page: FrontPage): Promise<boolean> {
  let target = '/';
  for (let step = 0; step <= REDIRECTS_MAX; step += 1) {
    const response = await page.answer('GET', target);
    const location = response?.headers.location;
    if (location === undefined) {
      return response?.status === 200 && /^text\/html\b/.test(response.headers['content-type'] ?? '');
    }
    if (!location.startsWith('/') || location.startsWith('//')) return false;
    target = location;
  }
  return false;
}
