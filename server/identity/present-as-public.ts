import type { IncomingMessage } from 'node:http';

/**
 * Makes a request look as if it had been made to PUBLIC_URL, whatever name or proxy it came through: the provider
 * builds addresses from it.
 */
export function presentAsPublic(request: IncomingMessage, publicUrl: string): void {
  const { host, protocol } = new URL(publicUrl);
  delete request.headers['x-forwarded-host'];
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  request.headers.host = host;
}
