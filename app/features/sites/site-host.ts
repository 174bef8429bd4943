/** Returns a site's address as shown to people: without the scheme. */
export function hostOf(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

/**
 * Whether a hostname, possibly with a port, is one that programs find only on their own machine (RFC 6761,
 * 6.3).
 */
export function isLocalHost(host: string): boolean {
  return /(^|\.)localhost(:\d+)?$/.test(host);
}
