import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { wildcardOf } from '../connections/edge-connection.ts';
import type { EdgeLogger } from '../edge-logger.ts';
import { readHostname } from '../fields/hostname.ts';
import { LookupCache } from '../memory/lookup-cache.ts';
import type { EdgeCertificate } from '../ports.ts';
import { SESSION_ID_CONTEXT } from './tls-settings.ts';

/**
 * A certificate ready for handshakes. A context costs about 32 KiB, so all names of a certificate share one.
 */
export interface SecureIdentity {
  readonly certificate: EdgeCertificate;
  readonly context: SecureContext;
  /** The DNS names of the certificate, in lower case. */
  readonly names: readonly string[];
}

export interface SecureIdentitiesOptions {
  readonly findCertificate: (hostname: string) => Promise<EdgeCertificate | null>;
  /** What was known of the certificate of a name before the lookup failed. */
  readonly recallCertificate?: (hostname: string, error: unknown) => Promise<EdgeCertificate | null>;
  readonly logger: EdgeLogger;
  readonly namesMax: number;
  readonly contextsMax: number;
  readonly now: () => number;
}

/** Server names to certificates. Thousands of names are cached, contexts within a limit of their own. */
export class SecureIdentities {
  private readonly names: LookupCache<string | null>;
  private readonly identities: LRUCache<string, SecureIdentity>;
  private readonly options: SecureIdentitiesOptions;

  constructor(options: SecureIdentitiesOptions) {
    this.options = options;
    this.identities = new LRUCache({ max: options.contextsMax });
    this.names = new LookupCache({
      entriesMax: options.namesMax,
      now: options.now,
      exists: (certificateId) => certificateId !== null,
      look: async (name) => (await this.load(name))?.certificate.id ?? null,
      recall: async (name, error) => (await this.recall(name, error))?.certificate.id ?? null,
      onFailure: (error, hostname, isKnown) =>
        options.logger.warn({ err: error, hostname, isKnown }, 'a certificate could not be looked up'),
    });
  }

  /**
   * Returns the identity of a server name when it is known and current; `undefined` when it must be looked
   * up.
   */
  peek(serverName: string): SecureIdentity | null | undefined {
    const name = readHostname(serverName);
    if (name === null) return null;
    const known = this.names.peek(name);
    if (known === null) return undefined;
    return known.value === null ? null : this.identities.get(known.value);
  }

  /** Returns the identity of a server name, or null when there is none or the lookup fails. */
  async find(serverName: string): Promise<SecureIdentity | null> {
    const name = readHostname(serverName);
    if (name === null) return null;
    try {
      const { value } = await this.names.find(name);
      if (value === null) return null;
      const kept = this.identities.get(value);
      return kept ?? (await this.load(name).catch((error: unknown) => this.recall(name, error)));
    } catch (error) {
      this.options.logger.warn({ err: error, hostname: name }, 'a certificate cannot be used');
      return null;
    }
  }

  /** The certificate of a name has changed; `*.example.ca` means every name one label below. */
  invalidate(hostname: string): void {
    if (!hostname.startsWith('*.')) this.names.invalidateName(hostname);
    else this.names.invalidate((name) => wildcardOf(name) === hostname);
  }

  private async load(name: string): Promise<SecureIdentity | null> {
    const certificate = await this.options.findCertificate(name);
    return certificate && this.take(certificate);
  }

  private async recall(name: string, error: unknown): Promise<SecureIdentity | null> {
    const certificate = (await this.options.recallCertificate?.(name, error)) ?? null;
    return certificate && this.take(certificate);
  }

  private take(certificate: EdgeCertificate): SecureIdentity {
    const known = this.identities.get(certificate.id);
    if (known !== undefined) return known;
    const identity = createIdentity(certificate);
    this.identities.set(certificate.id, identity);
    return identity;
  }
}

/** @throws when the key does not match the certificate, or either cannot be parsed */
export function createIdentity(certificate: EdgeCertificate): SecureIdentity {
  const { chain: cert, privateKey: key } = certificate;
  const context = createSecureContext({ cert, key, sessionIdContext: SESSION_ID_CONTEXT });
  return { certificate, context, names: dnsNamesOf(chainLeaf(cert)) };
}

function chainLeaf(chain: string): X509Certificate {
  return new X509Certificate(chain);
}

/** Returns the DNS names of a certificate, in lower case. */
export function dnsNamesOf(certificate: X509Certificate): string[] {
  const names = certificate.subjectAltName?.split(', ') ?? [];
  return names.filter((name) => name.startsWith('DNS:')).map((name) => name.slice(4).toLowerCase());
}
