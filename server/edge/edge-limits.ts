/** The limits of an edge. */
export interface EdgeLimits {
  /** Everything kept in memory: file bodies and ready responses. */
  readonly memoryBytesMax: number;
  /** Larger files are streamed and never cached. */
  readonly cachedFileBytesMax: number;
  /** Bytes of files being read into memory at one moment; above this, requests are streamed. */
  readonly loadingBytesMax: number;
  readonly openFilesMax: number;
  readonly hostsMax: number;
  /** TLS server names that are cached with their lookups. */
  readonly serverNamesMax: number;
  /** Certificates ready for handshakes, about 32 KiB each. */
  readonly certificatesMax: number;
  /** Bytes of the manifests and rules in memory for live sites. */
  readonly viewBytesMax: number;
  /** The same for previews and earlier versions, which never evict a live site. */
  readonly asideViewBytesMax: number;
  /** Versions being read at one moment. */
  readonly viewLoadsMax: number;
  /** Versions of one site that wait to be read; beyond this, clients are told to come back. */
  readonly viewLoadsWaitingMax: number;
  readonly headBytesMax: number;
  /** A connection must have sent a complete head by then. */
  readonly headMs: number;
  /** A complete request, including its body. */
  readonly requestMs: number;
  /** How long a connection without a request is kept open. */
  readonly idleMs: number;
  /** A client that accepts nothing of its response for this long is disconnected. */
  readonly stallMs: number;
  /** A TLS handshake must be complete by then. */
  readonly handshakeMs: number;
  /** Requests in flight on one HTTP/2 connection. */
  readonly streamsMax: number;
  /**
   * The same for further connections of an address that has this many: all of them may send and end at the
   * same moment.
   */
  readonly roomyConnectionsPerAddress: number;
  readonly crowdedStreamsMax: number;
  /**
   * How many bytes unaccepted responses may hold: all together, those of one address, those of one connection.
   */
  readonly transferBytesMax: number;
  readonly transferBytesPerAddressMax: number;
  readonly transferBytesPerConnectionMax: number;
  /**
   * When that is full, a response of which nothing was accepted for this long is ended to make room for
   * others.
   */
  readonly staleMs: number;
  /** How long a graceful stop leaves idle connections open for requests that are on their way. */
  readonly graceMs: number;
  /** How long a graceful stop waits for responses in flight. */
  readonly drainMs: number;
}

export const DEFAULT_EDGE_LIMITS: EdgeLimits = {
  memoryBytesMax: 256 * 1024 * 1024,
  cachedFileBytesMax: 1024 * 1024,
  loadingBytesMax: 64 * 1024 * 1024,
  openFilesMax: 512,
  hostsMax: 50_000,
  serverNamesMax: 50_000,
  certificatesMax: 2_000,
  viewBytesMax: 128 * 1024 * 1024,
  asideViewBytesMax: 48 * 1024 * 1024,
  viewLoadsMax: 4,
  viewLoadsWaitingMax: 50,
  headBytesMax: 16 * 1024,
  headMs: 10_000,
  requestMs: 30_000,
  idleMs: 65_000,
  stallMs: 60_000,
  handshakeMs: 10_000,
  streamsMax: 100,
  // An office or a program with more connections than this has three times as many requests in flight on each
  // as with HTTP/1.1.
  roomyConnectionsPerAddress: 8,
  crowdedStreamsMax: 20,
  // About 24 KiB for an unaccepted response: 10,000 of them, 2,700 of one address, and each connection its 100
  // streams.
  transferBytesMax: 256 * 1024 * 1024,
  transferBytesPerAddressMax: 64 * 1024 * 1024,
  transferBytesPerConnectionMax: 8 * 1024 * 1024,
  staleMs: 5_000,
  graceMs: 2_000,
  drainMs: 10_000,
};

/** However many edges share a machine, each gets this share of a single edge's limits. */
const SHARE_PART_MIN = 1 / 8;
/** Of a machine with less memory, edges take less, in proportion. */
const ROOMY_MACHINE_BYTES = 2 * 1024 ** 3;

/** Returns the limits of a machine with so much memory, divided among its edges. */
export function shareOfLimits(edges: number, machineBytes: number): Partial<EdgeLimits> {
  const part = Math.max(1 / edges, SHARE_PART_MIN) * Math.min(1, machineBytes / ROOMY_MACHINE_BYTES);
  const share = (bytes: number) => Math.floor(bytes * part);
  const { transferBytesPerAddressMax, transferBytesPerConnectionMax, ...limits } = DEFAULT_EDGE_LIMITS;
  return {
    memoryBytesMax: share(limits.memoryBytesMax),
    loadingBytesMax: share(limits.loadingBytesMax),
    viewBytesMax: share(limits.viewBytesMax),
    asideViewBytesMax: share(limits.asideViewBytesMax),
    transferBytesMax: share(limits.transferBytesMax),
    // One connection may have its response wait, and several addresses share what there is.
    transferBytesPerAddressMax: Math.max(share(transferBytesPerAddressMax), transferBytesPerConnectionMax),
  };
}
