/**
 * Returns the cookies of a Cookie header by name. Whatever cannot be parsed is skipped: a malformed cookie of
 * another program on the same host must not break a request. The first of equal names wins, because browsers
 * send the most specific first. Only the spaces of HTTP are dropped. Any host of the domain can set a cookie named
 * `__Host-session` with another space in front, which some browsers send as a byte that Node reads as a no-break
 * space: dropping that would make it our session.
 */
export function parseCookies(header: string | null): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals < 1) continue;
    const name = withoutSpaces(part.slice(0, equals));
    if (name !== '' && !cookies.has(name)) cookies.set(name, withoutSpaces(part.slice(equals + 1)));
  }
  return cookies;
}

function withoutSpaces(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

export interface CookieOptions {
  isSecure: boolean;
  /** How long the browser keeps it; 0 removes it. */
  maxAgeSeconds: number;
}

/** Returns a Set-Cookie value: never readable by scripts, never sent with other sites' forms. */
export function serializeCookie(
  name: string,
  value: string,
  { isSecure, maxAgeSeconds }: CookieOptions,
): string {
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns a cookie's name, with the `__Host-` prefix if the browser accepts it: on https. */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}
