/** The kinds of addresses of the console; its metrics are grouped by them. */
export type RequestSurface = 'trpc' | 'rest' | 'identity' | 'webhook' | 'sandbox' | 'asset' | 'page';

/** Returns which kind an address is. */
export function surfaceOf(pathname: string): RequestSurface {
  if (/^\/api\/trpc(\/|$)/.test(pathname)) return 'trpc';
  if (/^\/api\/v1(\/|$)/.test(pathname)) return 'rest';
  if (/^\/(auth|identity)(\/|$)/.test(pathname)) return 'identity';
  if (pathname === '/webhooks/stripe') return 'webhook';
  if (pathname.startsWith('/_sandbox/')) return 'sandbox';
  if (pathname.startsWith('/assets/')) return 'asset';
  return 'page';
}
