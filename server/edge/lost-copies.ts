import { LRUCache } from 'lru-cache';
import type { EdgeLogger } from './edge-logger.ts';
import type { BlobEncoding, EdgePorts } from './ports.ts';

/**
 * How many are remembered, and for how long: then the store is asked again, because they are recreated in the
 * meantime.
 */
const REMEMBERED_MAX = 10_000;
const REMEMBERED_MS = 60_000;

/**
 * Encoded copies that should be in the store and cannot be read. Their files are served as deployed, so every
 * visitor gets them.
 */
export class LostCopies {
  private readonly ports: EdgePorts;
  private readonly logger: EdgeLogger;
  private readonly known: LRUCache<string, true>;

  constructor(ports: EdgePorts, logger: EdgeLogger, now: () => number) {
    this.ports = ports;
    this.logger = logger;
    this.known = new LRUCache({ max: REMEMBERED_MAX, ttl: REMEMBERED_MS, perf: { now }, ttlResolution: 0 });
  }

  /** Whether this copy was recently missing. Nearly always there is none, and the check costs nothing. */
  has(sha256: string, encoding: BlobEncoding): boolean {
    return this.known.size > 0 && this.known.has(`${sha256} ${encoding}`);
  }

  /** Remembers a copy and reports it, so that it is recreated. */
  add(sha256: string, encoding: BlobEncoding, error: unknown): void {
    this.known.set(`${sha256} ${encoding}`, true);
    this.logger.error(
      { err: error, sha256, encoding },
      'an encoded copy is lost; the file is served as deployed',
    );
    this.ports.reportLostCopy?.(sha256, encoding);
  }

  /** Reports a file whose own content is missing, so that the next deploy is asked for it. */
  reportFile(sha256: string): void {
    if (this.has(sha256, 'identity')) return;
    this.known.set(`${sha256} identity`, true);
    this.ports.reportLostCopy?.(sha256, 'identity');
  }
}
