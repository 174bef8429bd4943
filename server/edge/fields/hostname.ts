/**
 * Returns the hostname of a Host header (without port and trailing dot, in lower case), or null when it
 * cannot be one.
 */
export function readHostname(host: string): string | null {
  if (host.length === 0 || host.length > 260) return null;
  const colon = host.indexOf(':');
  let name = colon < 0 ? host : host.slice(0, colon);
  if (colon >= 0 && !isPort(host.slice(colon + 1))) return null;
  if (name.endsWith('.')) name = name.slice(0, -1);
  name = name.toLowerCase();
  return name.length <= 253 && /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) ? name : null;
}

const PORT_MAX = 65_535;

/** An empty port is valid: `site.test:` means the default one. */
function isPort(text: string): boolean {
  return /^\d{0,5}$/.test(text) && Number(text) <= PORT_MAX;
}
