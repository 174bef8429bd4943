import { contentType, lookup } from 'mime-types';

/** Types where the registry is too general or too old for the web. */
const BY_EXTENSION = new Map(
  Object.entries({
    js: 'text/javascript; charset=utf-8',
    mjs: 'text/javascript; charset=utf-8',
    cjs: 'text/javascript; charset=utf-8',
    map: 'application/json; charset=utf-8',
    webmanifest: 'application/manifest+json; charset=utf-8',
    svg: 'image/svg+xml; charset=utf-8',
    xhtml: 'application/xhtml+xml; charset=utf-8',
  }),
);

const BY_NAME = new Map(
  Object.entries({
    'apple-app-site-association': 'application/json; charset=utf-8',
    license: 'text/plain; charset=utf-8',
    readme: 'text/plain; charset=utf-8',
  }),
);

/**
 * Returns the complete Content-Type for a manifest path: text has `charset=utf-8`, unknown names are
 * `application/octet-stream`.
 */
export function contentTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const known = BY_NAME.get(name) ?? BY_EXTENSION.get(name.slice(name.lastIndexOf('.') + 1));
  if (known !== undefined) return known;
  const type = lookup(name);
  return (type && contentType(type)) || 'application/octet-stream';
}

/** True for the types a browser shows as a page. */
export function isHtml(type: string): boolean {
  return type.startsWith('text/html') || type.startsWith('application/xhtml+xml');
}
