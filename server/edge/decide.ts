import { isFingerprinted } from './fields/cache-policy.ts';
import { isHtml } from './fields/content-type.ts';
import { encodePath, type RequestPath, readRequestPath } from './fields/request-path.ts';
import type { Manifest } from './manifest.ts';
import type { EdgeFile } from './ports.ts';
import {
  fillTarget,
  type RedirectMatch,
  type RedirectMatcher,
  redirectLocation,
} from './rules/redirect-rules.ts';

/** The inputs of a decision: a version's manifest and rules, and the site's setting. */
export interface SiteRules {
  readonly files: Manifest;
  readonly findRedirect: RedirectMatcher;
  readonly spaFallback: boolean;
}

/** A file of the manifest. */
export interface FoundFile {
  readonly path: string;
  readonly file: EdgeFile;
}

/** How to answer; `path` is the decoded path of the request. */
export type Intent =
  /** `isOwnAddress`: the request path alone leads to this file, so the response may be cached under it. */
  | { kind: 'file'; path: string; found: FoundFile; isOwnAddress: boolean }
  | { kind: 'redirect'; path: string; status: number; location: string }
  /**
   * `skewPath`: a fingerprinted name that an earlier version may contain. `page`: the site's own page, or
   * null for ours.
   */
  | { kind: 'missing'; path: string; page: FoundFile | null; skewPath: string | null }
  | { kind: 'bad-request' };

/** Parsed at seal time, never served. */
const RULE_FILES = new Set(['_redirects', '_headers']);

/** Decides how to answer a request for an address of a site. Pure; only returns files of the manifest. */
export function decide(target: string, site: SiteRules): Intent {
  const request = readRequestPath(target);
  if (request === null) return { kind: 'bad-request' };
  const resolved = resolvePath(request.path, site);
  const match = site.findRedirect(request.path);
  if (match !== null && (match.rule.forced || resolved === null)) {
    const intent = applyRule(match, request, site);
    if (intent !== null) return intent;
  }
  if (resolved !== null) {
    if ('file' in resolved) return { kind: 'file', path: request.path, found: resolved, isOwnAddress: true };
    const location = encodePath(resolved.canonical) + request.query;
    return { kind: 'redirect', path: request.path, status: 308, location };
  }
  if (site.spaFallback && !hasExtension(request.path)) {
    const found = findFile('index.html', site);
    if (found !== null) return { kind: 'file', path: request.path, found, isOwnAddress: false };
  }
  return missing(request.path, nearestNotFoundPage(request.path, site));
}

function applyRule(match: RedirectMatch, request: RequestPath, site: SiteRules): Intent | null {
  const { status } = match.rule;
  if (status !== 200 && status !== 404) {
    const location = redirectLocation(match, request.query);
    if (location === null) return null;
    const leadsToItself =
      location === encodePath(request.path) + request.query || location === request.rawPath + request.query;
    return leadsToItself ? null : { kind: 'redirect', path: request.path, status, location };
  }
  const filled = fillTarget(match);
  if (filled === null) return null;
  const target = readRequestPath(filled.replace(/[?#].*$/s, ''));
  const found = target === null ? null : resolveFile(target.path, site);
  if (status === 404) return missing(request.path, found ?? nearestNotFoundPage(request.path, site));
  if (found === null) return null;
  // A catch-all to a page must not answer a missing script or image with HTML; a rule for that exact path
  // may.
  const isCatchAll = match.captures.size > 0;
  if (isCatchAll && isHtml(found.file.contentType) && isAssetPath(request.path)) return null;
  return { kind: 'file', path: request.path, found, isOwnAddress: false };
}

function missing(path: string, page: FoundFile | null): Intent {
  return { kind: 'missing', path, page, skewPath: isFingerprinted(path) ? path.slice(1) : null };
}

/** Returns the file for a path, or the canonical address it redirects to, or null. */
function resolvePath(path: string, site: SiteRules): FoundFile | { canonical: string } | null {
  const served = serveAt(path, site);
  if (served !== null) {
    const canonical = canonicalOf(served.path);
    const isCanonical = canonical === path || serveAt(canonical, site)?.path !== served.path;
    return isCanonical ? served : { canonical };
  }
  // Other spellings of an existing address: /a/ for a.html, /a for a/index.html, /a/index for either.
  const bare = path.replace(/\/$/, '');
  const spellings = [bare, `${bare}/`];
  const withoutHtml = bare.replace(/\.html$/, '');
  const withoutIndex = withoutHtml.replace(/\/index$/, '');
  spellings.push(withoutHtml, `${withoutHtml}/`, withoutIndex, `${withoutIndex}/`);
  for (const canonical of spellings) {
    if (canonical === '' || canonical === path) continue;
    const other = serveAt(canonical, site);
    if (other === null || !isHtmlPath(other.path)) continue;
    const own = canonicalOf(other.path);
    return { canonical: serveAt(own, site)?.path === other.path ? own : canonical };
  }
  return null;
}

/** Returns the file for any spelling of a path. */
function resolveFile(path: string, site: SiteRules): FoundFile | null {
  const resolved = resolvePath(path, site);
  if (resolved === null || 'file' in resolved) return resolved;
  return serveAt(resolved.canonical, site);
}

/** Returns the file for exactly this path: the exact name, `a.html` for `/a`, `a/index.html` for `/a/`. */
function serveAt(path: string, site: SiteRules): FoundFile | null {
  const key = path.slice(1);
  if (key === '' || key.endsWith('/')) return findFile(`${key}index.html`, site);
  return findFile(key, site) ?? findFile(`${key}.html`, site);
}

/** Returns the address of a file: without `.html` for an HTML file, the folder's for its index. */
export function canonicalOf(file: string): string {
  if (file === 'index.html') return '/';
  if (file.endsWith('/index.html')) return `/${file.slice(0, -'index.html'.length)}`;
  return `/${file.endsWith('.html') ? file.slice(0, -'.html'.length) : file}`;
}

function findFile(path: string, site: SiteRules): FoundFile | null {
  if (RULE_FILES.has(path)) return null;
  const file = site.files.get(path);
  return file === undefined ? null : { path, file };
}

function nearestNotFoundPage(path: string, site: SiteRules): FoundFile | null {
  const page = site.files.nearestNotFoundPage(path);
  return page === null ? null : findFile(page, site);
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function hasExtension(path: string): boolean {
  return lastSegment(path).includes('.');
}

function isHtmlPath(path: string): boolean {
  return path.endsWith('.html');
}

/** Whether a path refers to something other than a page. */
function isAssetPath(path: string): boolean {
  return /\.(?!x?html?$)[A-Za-z0-9]{1,10}$/i.test(lastSegment(path));
}
