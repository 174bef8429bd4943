/**
 * Returns the security headers of every page of the console. Scripts and style
 * elements need the page's nonce; style attributes are allowed, since Mantine sizes elements with them.
 */
export function pageHeaders(
  nonce: string,
  options: { isSecure: boolean; isDevelopment: boolean; s3Origin: string; hasStripe?: boolean },
): Record<string, string> {
  // Vite's client in development injects styles and talks over a web socket.
  const development = options.isDevelopment;
  // Stripe's card form is a frame of its own: what is typed there never comes here. The hosts are those of
  // Stripe's security guide for Stripe.js, without the maps of the address form, which is not used.
  const { s3Origin } = options;
  const stripe = (hosts: string) => (options.hasStripe ? hosts : '');
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'${stripe(' https://js.stripe.com https://*.js.stripe.com')}`,
    development ? "style-src 'self' 'unsafe-inline'" : `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    // Objects are shown and sent from the S3 origin: what customers store never comes from the console's own
    // origin.
    `img-src 'self' data: https: ${s3Origin}`,
    "font-src 'self' data:",
    `connect-src 'self' ${s3Origin}${development ? ' ws:' : ''}${stripe(' https://api.stripe.com')}`,
    `frame-src ${s3Origin}${stripe(' https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com')}`,
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
