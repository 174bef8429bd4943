import { readHostname } from '../fields/hostname.ts';

/** What is known about a request from its connection. */
export interface EdgeConnection {
  readonly isSecure: boolean;
  /** True when a request for this Host header may come over the connection. */
  accepts(hostHeader: string): boolean;
}

/** A connection without TLS: the server has proven no identity. */
export const plainConnection: EdgeConnection = { isSecure: false, accepts: () => true };

/**
 * A connection over TLS: it is valid for the requested server name, and for the others of the certificate.
 */
export class SecureConnection implements EdgeConnection {
  readonly isSecure = true;
  private readonly serverName: string | null;
  private readonly certificateNames: readonly string[];
  /** The last accepted Host header; nearly always there is only one. */
  private accepted = '';

  constructor(serverName: string | null, certificateNames: readonly string[]) {
    this.serverName = serverName;
    this.certificateNames = certificateNames;
  }

  accepts(hostHeader: string): boolean {
    if (hostHeader === this.accepted) return true;
    const hostname = readHostname(hostHeader);
    // An invalid hostname gets its own response later.
    if (hostname === null) return true;
    const isMeant = hostname === this.serverName || isCovered(hostname, this.certificateNames);
    if (isMeant) this.accepted = hostHeader;
    return isMeant;
  }
}

/** True when one of a certificate's DNS names is the hostname, or the wildcard of its parent. */
export function isCovered(hostname: string, certificateNames: readonly string[]): boolean {
  return certificateNames.includes(hostname) || certificateNames.includes(wildcardOf(hostname));
}

/** Returns the wildcard name that covers a hostname: `*.example.ca` for `www.example.ca`. */
export function wildcardOf(hostname: string): string {
  return `*${hostname.slice(hostname.indexOf('.'))}`;
}

/** The scheme of a request; unknown behind a trusted proxy that does not send it. */
export type RequestScheme = 'http' | 'https' | 'unknown';

/**
 * Returns the scheme that the visitor used. A trusted proxy sends it in X-Forwarded-Proto (the first of
 * several, which is nearest to the visitor); one that does not send it may have terminated TLS itself.
 */
export function schemeOf(isSecure: boolean, trustProxy: boolean, forwardedProto: string): RequestScheme {
  if (trustProxy) {
    const said = forwardedProto.split(',', 1)[0]?.trim().toLowerCase();
    if (said === 'http' || said === 'https') return said;
  }
  if (isSecure) return 'https';
  return trustProxy ? 'unknown' : 'http';
}
