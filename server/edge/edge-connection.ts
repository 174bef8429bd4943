import { readHostname } from './hostname.ts';

/** What a request's connection says about it. */
export interface EdgeConnection {
  readonly isSecure: boolean;
  /** True when a request for this Host header may come over the connection. */
  accepts(hostHeader: string): boolean;
}

/** A connection without TLS: nothing was promised about who answers. */
export const plainConnection: EdgeConnection = { isSecure: false, accepts: () => true };

/** A connection over TLS: it is for the name that was asked for, and for the others of the certificate that was shown. */
export class SecureConnection implements EdgeConnection {
  readonly isSecure = true;
  private readonly serverName: string | null;
  private readonly certificateNames: readonly string[];
  /** The Host header accepted last; nearly always there is only one. */
  private accepted = '';

  constructor(serverName: string | null, certificateNames: readonly string[]) {
    this.serverName = serverName;
    this.certificateNames = certificateNames;
  }

  accepts(hostHeader: string): boolean {
    if (hostHeader === this.accepted) return true;
    const hostname = readHostname(hostHeader);
    // What cannot be a hostname is answered as such.
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

/** The wildcard name that covers a hostname: `*.example.ca` for `www.example.ca`. */
export function wildcardOf(hostname: string): string {
  return `*${hostname.slice(hostname.indexOf('.'))}`;
}

/** How a request reached us; behind a trusted proxy that does not tell, nobody knows. */
export type RequestScheme = 'http' | 'https' | 'unknown';

/**
 * The scheme that the visitor used. A trusted proxy says it in X-Forwarded-Proto (the first of several, which is nearest to the
 * visitor); one that does not say it has perhaps ended the TLS itself.
 */
export function schemeOf(isSecure: boolean, trustProxy: boolean, forwardedProto: string): RequestScheme {
  if (trustProxy) {
    const said = forwardedProto.split(',', 1)[0]?.trim().toLowerCase();
    if (said === 'http' || said === 'https') return said;
  }
  if (isSecure) return 'https';
  return trustProxy ? 'unknown' : 'http';
}
