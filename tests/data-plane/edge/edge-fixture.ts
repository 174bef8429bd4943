import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createEdge, type Edge, type EdgeOptions } from '#server/edge/create-edge.ts';
import { contentTypeOf } from '#server/edge/fields/content-type.ts';
import { Manifest } from '#server/edge/manifest.ts';
import type {
  BlobEncoding,
  BlobHandle,
  EdgeCertificate,
  EdgeFile,
  EdgeHost,
  EdgeMeter,
  EdgePorts,
  EdgeResponseRecord,
  EdgeSiteHost,
  EdgeVersion,
} from '#server/edge/ports.ts';
import { parseHeaders } from '#server/edge/rules/header-rules.ts';
import { parseRedirects } from '#server/edge/rules/redirect-rules.ts';

/** A blob in memory as a handle for the edge. */
export function memoryHandle(bytes: Uint8Array): BlobHandle {
  return {
    size: bytes.length,
    isLocal: true,
    async read(buffer, offset, length, position) {
      const part = bytes.subarray(position, position + length);
      buffer.set(part, offset);
      return part.length;
    },
    stream: (start, end) => Readable.from([Buffer.from(bytes.subarray(start, end + 1))]),
    async close() {},
  };
}

/** What has happened to the handles of a blob. */
export interface HandleCounts {
  /** Currently open. */
  open: number;
  opened: number;
  /** Bytes read. */
  read: number;
}

/** Like `memoryHandle`, recording what happens to it in `counts`. */
export function countedHandle(bytes: Uint8Array, counts: HandleCounts): BlobHandle {
  const handle = memoryHandle(bytes);
  counts.open += 1;
  counts.opened += 1;
  return {
    ...handle,
    async read(...where) {
      const count = await handle.read(...where);
      counts.read += count;
      return count;
    },
    async close() {
      counts.open -= 1;
    },
  };
}

/** What a meter was told about one response. */
export interface MeteredResponse extends EdgeResponseRecord {
  hostname: string;
  bytes: number;
}

/** Ports over maps, with a switch for each way the rest of the product can fail. */
export class MemoryPorts implements EdgePorts {
  readonly hosts = new Map<string, EdgeHost>();
  /** By domain name, including `*.example.ca`. */
  readonly certificates = new Map<string, EdgeCertificate>();
  readonly versions = new Map<string, EdgeVersion>();
  readonly replaced = new Map<string, string[]>();
  readonly blobs = new Map<string, () => BlobHandle>();
  readonly records: MeteredResponse[] = [];
  readonly asked: string[] = [];
  isDown = false;

  async resolveHost(hostname: string): Promise<EdgeHost | null> {
    this.note(`host ${hostname}`);
    const host = this.hosts.get(hostname);
    return host === undefined ? null : { ...host, meter: this.meterOf(hostname) };
  }

  async findCertificate(hostname: string): Promise<EdgeCertificate | null> {
    this.note(`certificate ${hostname}`);
    const wildcard = `*${hostname.slice(hostname.indexOf('.'))}`;
    return this.certificates.get(hostname) ?? this.certificates.get(wildcard) ?? null;
  }

  async loadVersion(versionId: string): Promise<EdgeVersion | null> {
    this.note(`version ${versionId}`);
    return this.versions.get(versionId) ?? null;
  }

  async findReplacedVersions(siteId: string): Promise<readonly string[]> {
    this.note(`replaced ${siteId}`);
    return this.replaced.get(siteId) ?? [];
  }

  async openBlob(sha256: string, encoding: BlobEncoding): Promise<BlobHandle | null> {
    this.asked.push(`blob ${sha256} ${encoding}`);
    return this.blobs.get(`${sha256} ${encoding}`)?.() ?? null;
  }

  /**
   * Records each response of a host in `records`; the heads and frames of HTTP/2 are added to the bytes of the
   * host's last response.
   */
  meterOf(hostname: string): EdgeMeter {
    const { records } = this;
    const latest = new Map<EdgeResponseRecord, MeteredResponse>();
    return {
      count(response, bytes) {
        const { status, isCacheHit, isRefused, path } = response;
        const record = { status, isCacheHit, isRefused, path, hostname, bytes };
        latest.set(response, record);
        records.push(record);
      },
      add(response, bytes) {
        const record = latest.get(response) ?? records.findLast((one) => one.hostname === hostname);
        if (record === undefined) throw new Error(`bytes of no answer of ${hostname}`);
        record.bytes += bytes;
      },
    };
  }

  /** Returns all bytes reported to the meters of a host. */
  bytesOf(hostname: string): number {
    const own = this.records.filter((record) => record.hostname === hostname);
    return own.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Adds a sealed version of these files; `_redirects` and `_headers` are parsed as at seal time. */
  addVersion(
    id: string,
    contents: Readonly<Record<string, string | Buffer>>,
    sealedAt = 1_700_000_000_000,
  ): void {
    const files = new Map<string, EdgeFile>();
    for (const [path, content] of Object.entries(contents))
      files.set(path, this.addFile(path, Buffer.from(content)));
    const redirects = parseRedirects(contents._redirects?.toString() ?? '').rules;
    const headers = parseHeaders(contents._headers?.toString() ?? '').rules;
    this.versions.set(id, { id, sealedAt, files: Manifest.of(files), rulesId: null, redirects, headers });
  }

  /** Points a hostname at a version. */
  point(hostname: string, versionId: string | null, host: Partial<EdgeSiteHost> = {}): void {
    this.hosts.set(hostname, {
      kind: 'site',
      siteId: `site of ${hostname}`,
      endpointId: null,
      isHttpsOnly: false,
      strictTransportSeconds: 0,
      spaFallback: false,
      isSuspended: false,
      meter: null,
      ...host,
      versionId,
    });
  }

  /** Makes a hostname redirect elsewhere. */
  redirect(hostname: string, target: string, host: Partial<EdgeHost> = {}): void {
    const base = { endpointId: `endpoint of ${hostname}`, isHttpsOnly: false, strictTransportSeconds: 0 };
    this.hosts.set(hostname, { ...base, isSuspended: false, meter: null, ...host, kind: 'redirect', target });
  }

  private addFile(path: string, bytes: Buffer): EdgeFile {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const contentType = contentTypeOf(path);
    this.blobs.set(`${sha256} identity`, () => memoryHandle(bytes));
    const isCompressed = bytes.length > 1024 && /^text|json|svg/.test(contentType);
    if (!isCompressed) return { sha256, size: bytes.length, contentType, brotliSize: null, gzipSize: null };
    const brotli = brotliCompressSync(bytes);
    const gzip = gzipSync(bytes);
    this.blobs.set(`${sha256} br`, () => memoryHandle(brotli));
    this.blobs.set(`${sha256} gzip`, () => memoryHandle(gzip));
    return { sha256, size: bytes.length, contentType, brotliSize: brotli.length, gzipSize: gzip.length };
  }

  private note(question: string): void {
    this.asked.push(question);
    if (this.isDown) throw new Error('the database is away');
  }
}

/** A listening edge over ports, with its log. */
export interface TestEdge {
  readonly edge: Edge;
  readonly port: number;
  readonly log: string[];
}

export async function startEdge(ports: EdgePorts, options: Partial<EdgeOptions> = {}): Promise<TestEdge> {
  const log: string[] = [];
  const write = (_details: object, message: string) => {
    log.push(message);
  };
  const limits = { graceMs: 100, ...options.limits };
  const edge = createEdge({ ports, logger: { warn: write, error: write }, ...options, limits });
  await new Promise<void>((resolve) => edge.server.listen(0, '127.0.0.1', resolve));
  const { port } = edge.server.address() as AddressInfo;
  return { edge, port, log };
}
