/** Returns a site's address as people read it: without the scheme. */
export function hostOf(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

/** Whether a host name, perhaps with a port, is one that programs find on their own machine only (RFC 6761, 6.3). */
export function isLocalHost(host: string): boolean {
  return /(^|\.)localhost(:\d+)?$/.test(host);
}
