/**
 * Returns the headers every page of the console carries (design/security.md, Headers). Scripts and style elements need the
 * page's nonce; style attributes are allowed, since Mantine sizes elements with them.
 */
export function pageHeaders(
  nonce: string,
  options: { isSecure: boolean; isDevelopment: boolean },
): Record<string, string> {
  // Vite's client in development injects styles and talks over a web socket.
  const development = options.isDevelopment;
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    development ? "style-src 'self' 'unsafe-inline'" : `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: https:",
    "font-src 'self' data:",
    development ? "connect-src 'self' ws:" : "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
  return {
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...(options.isSecure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}
