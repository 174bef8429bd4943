/** The bounds of an edge. */
export interface EdgeLimits {
  /** Everything kept in memory: file bodies and ready answers. */
  readonly memoryBytesMax: number;
  /** Larger files are streamed and never kept. */
  readonly cachedFileBytesMax: number;
  /** Bytes of files being read into memory at one moment; beyond it requests are streamed. */
  readonly loadingBytesMax: number;
  readonly openFilesMax: number;
  readonly hostsMax: number;
  /** TLS server names remembered with what there is of them. */
  readonly serverNamesMax: number;
  /** Certificates ready for handshakes, about 32 KiB each. */
  readonly certificatesMax: number;
  /** Manifests and rules in memory of what is live at sites. */
  readonly viewBytesMax: number;
  /** The same for previews and earlier versions, which drive out no live site. */
  readonly asideViewBytesMax: number;
  /** Versions being read at one moment. */
  readonly viewLoadsMax: number;
  /** Versions of one site that wait to be read; who asks for more is told to come back. */
  readonly viewLoadsWaitingMax: number;
  readonly headBytesMax: number;
  /** A connection must have sent a whole head by then. */
  readonly headMs: number;
  /** A whole request, body included. */
  readonly requestMs: number;
  /** A connection without a request is kept open this long. */
  readonly idleMs: number;
  /** A client that takes nothing of its answer for this long is cut. */
  readonly stallMs: number;
  /** A TLS handshake must be over by then. */
  readonly handshakeMs: number;
  /** Requests in flight on one HTTP/2 connection. */
  readonly streamsMax: number;
  /** The same for further connections of an address that has this many: all of them may send and end at the same moment. */
  readonly roomyConnectionsPerAddress: number;
  readonly crowdedStreamsMax: number;
  /** What answers that are not taken yet may hold: all together, those of one address, those of one connection. */
  readonly transferBytesMax: number;
  readonly transferBytesPerAddressMax: number;
  readonly transferBytesPerConnectionMax: number;
  /** When that is full, an answer of which nothing was taken for this long is ended for the sake of others. */
  readonly staleMs: number;
  /** How long a graceful stop leaves idle connections open for requests that are on their way. */
  readonly graceMs: number;
  /** How long a graceful stop waits for answers in flight. */
  readonly drainMs: number;
}

export const defaultEdgeLimits: EdgeLimits = {
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
  // An office or a program with more connections than this has three times as many requests in flight on each as HTTP/1.1 gave it.
  roomyConnectionsPerAddress: 8,
  crowdedStreamsMax: 20,
  // About 24 KiB for an answer that nobody takes: 10,000 of them, 2,700 of one address, and each connection its 100 streams.
  transferBytesMax: 256 * 1024 * 1024,
  transferBytesPerAddressMax: 64 * 1024 * 1024,
  transferBytesPerConnectionMax: 8 * 1024 * 1024,
  staleMs: 5_000,
  graceMs: 2_000,
  drainMs: 10_000,
};

/** However many edges share a machine, each has this part of what one alone would have. */
const sharePartMin = 1 / 8;

/** Returns the bounds that hold for a machine, divided among its edges. */
export function shareOfLimits(edges: number): Partial<EdgeLimits> {
  const part = Math.max(1 / edges, sharePartMin);
  const share = (bytes: number) => Math.floor(bytes * part);
  const { memoryBytesMax, loadingBytesMax, viewBytesMax, asideViewBytesMax, transferBytesMax } =
    defaultEdgeLimits;
  return {
    memoryBytesMax: share(memoryBytesMax),
    loadingBytesMax: share(loadingBytesMax),
    viewBytesMax: share(viewBytesMax),
    asideViewBytesMax: share(asideViewBytesMax),
    transferBytesMax: share(transferBytesMax),
  };
}
