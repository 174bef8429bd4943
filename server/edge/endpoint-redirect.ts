/** The parsed target of a redirect endpoint. */
interface RedirectBase {
  readonly hostname: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Without a trailing slash. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  /** With its number sign, or empty. */
  readonly fragment: string;
}

const bases = new Map<string, RedirectBase | null>();
const BASES_MAX = 10_000;

/**
 * Returns the address that a redirect endpoint redirects to: path and query of the request appended to the
 * target. It always starts with the target's own host, whatever the request. Null for an invalid request
 * target, and for a target that leads back here.
 */
export function joinRedirect(target: string, requestTarget: string, hostname: string): string | null {
  // Anything else could end the header or be parsed as something other than path and query.
  if (!/^\/[!-~]*$/.test(requestTarget) || requestTarget.includes('#')) return null;
  const base = readBase(target);
  if (base === null || base.hostname === hostname) return null;
  const mark = requestTarget.indexOf('?');
  const path = (mark < 0 ? requestTarget : requestTarget.slice(0, mark)).replace(/^[/\\]+/, '/');
  const query = mark < 0 ? '' : requestTarget.slice(mark + 1);
  const joined = path === '/' ? '' : path;
  const queries = [base.query.slice(1), query].filter((part) => part !== '').join('&');
  const address = base.origin + base.path + joined;
  const isBare = base.path === '' && joined === '';
  return `${address}${isBare ? '/' : ''}${queries === '' ? '' : `?${queries}`}${base.fragment}`;
}

function readBase(target: string): RedirectBase | null {
  const known = bases.get(target);
  if (known !== undefined) return known;
  const url = URL.parse(target);
  const isUsable = url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
  const base = isUsable
    ? {
        hostname: url.hostname,
        origin: url.origin,
        path: url.pathname.replace(/\/$/, ''),
        query: url.search,
        fragment: url.hash,
      }
    : null;
  if (bases.size >= BASES_MAX) bases.clear();
  bases.set(target, base);
  return base;
}
