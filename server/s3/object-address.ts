import { KEY_PARAMETER } from './s3-request.ts';
import { uriEncode, uriEncodePath } from './signature/canonical-request.ts';

/** Where an object is asked for: a path, and a parameter of the query for a key that no path can name. */
export interface ObjectPlace {
  readonly rawPath: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Returns where browsers, too, ask for an object. The bucket is in the path. */
export function placeOfObject(bucket: string, key: string): ObjectPlace {
  return canStandInPath(key)
    ? { rawPath: `/${bucket}/${uriEncodePath(key)}`, query: {} }
    : { rawPath: `/${bucket}`, query: { [KEY_PARAMETER]: key } };
}

/**
 * Returns the address at which anyone reads an object of a public bucket.
 * @param endpoint the address of the service
 */
export function publicAddress(endpoint: string, bucket: string, key: string): string {
  const { rawPath, query } = placeOfObject(bucket, key);
  const written = writeQuery(Object.entries(query));
  return `${new URL(endpoint).origin}${rawPath}${written === '' ? '' : `?${written}`}`;
}

/** Returns a query in the form of an address. */
export function writeQuery(query: readonly (readonly [name: string, value: string])[]): string {
  return query.map(([name, value]) => `${uriEncode(name)}=${uriEncode(value)}`).join('&');
}

/** Browsers take parts of a path that are dots away, encoded or not ("double-dot URL path segment" of the URL standard). */
function canStandInPath(key: string): boolean {
  return !key.split('/').some((part) => part === '.' || part === '..');
}
