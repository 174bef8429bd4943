/** How much unfinished responses may hold; see `edge-limits.ts`. */
export interface TransferLimits {
  readonly transferBytesMax: number;
  readonly transferBytesPerAddressMax: number;
  readonly transferBytesPerConnectionMax: number;
  /** When room is needed, a response of which nothing was accepted for this long is ended. */
  readonly staleMs: number;
}

/**
 * What an unfinished response costs in addition to the waiting bytes: the stream or the connection, its timers
 * and listeners.
 */
const OWN_BYTES = 16 * 1024;
/**
 * The piece that every response may hold: its memory is reserved with the response, so no accepted response waits
 * for memory.
 */
export const SMALLEST_PIECE_BYTES = 8 * 1024;
/** The largest piece, for clients that accept it immediately. */
export const LARGEST_PIECE_BYTES = 128 * 1024;
const RESERVED_BYTES = OWN_BYTES + SMALLEST_PIECE_BYTES;
/** One response may take this part of what is left, so that many simultaneous ones get something each. */
const PART_OF_ROOM = 8;
/** A piece accepted faster than this may be followed by a larger one, a slower one by a smaller one. */
const QUICK_MS = 100;
const SLOW_MS = 1_000;

/**
 * The bytes held under one limit, and by whom: first the one that has accepted nothing for the longest time.
 */
class Ledger {
  readonly bytesMax: number;
  readonly transfers = new Set<Transfer>();
  used = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }
}

/** The responses of one connection. */
export interface TransferConnection {
  /**
   * Starts a response. `abort` ends it when others need its room; it must not throw. Returns null when there
   * is no room, and none can be made.
   */
  begin(address: string, abort: () => void): Transfer | null;
}

/**
 * The memory of responses that clients have not accepted yet: one limit for the process, one per address, one
 * per connection. Clients that accept nothing hold little, and make room for others when it gets tight; those
 * that make progress are never ended for being slow.
 */
export class TransferMemory {
  private readonly limits: TransferLimits;
  private readonly now: () => number;
  private readonly all: Ledger;
  private readonly addresses = new Map<string, Ledger>();

  constructor(limits: TransferLimits, now: () => number) {
    this.limits = limits;
    this.now = now;
    this.all = new Ledger(limits.transferBytesMax);
  }

  get bytesUsed(): number {
    return this.all.used;
  }

  /** Called once for each connection. */
  connection(): TransferConnection {
    const own = new Ledger(this.limits.transferBytesPerConnectionMax);
    return { begin: (address, abort) => this.begin(own, address, abort) };
  }

  private begin(connection: Ledger, address: string, abort: () => void): Transfer | null {
    const ledgers = [this.all, connection];
    // Behind a proxy that does not identify visitors, everyone would be one visitor.
    if (address !== '') ledgers.push(this.ledgerOf(address));
    const isLetIn = ledgers.every((ledger) => this.makeRoom(ledger));
    const transfer = isLetIn ? new Transfer(ledgers, this.now, abort, () => this.forget(address)) : null;
    if (transfer === null) this.forget(address);
    return transfer;
  }

  private ledgerOf(address: string): Ledger {
    let ledger = this.addresses.get(address);
    if (ledger === undefined) {
      ledger = new Ledger(this.limits.transferBytesPerAddressMax);
      this.addresses.set(address, ledger);
    }
    return ledger;
  }

  private forget(address: string): void {
    if (this.addresses.get(address)?.transfers.size === 0) this.addresses.delete(address);
  }

  private makeRoom(ledger: Ledger): boolean {
    while (ledger.used + RESERVED_BYTES > ledger.bytesMax) {
      const [stalest] = ledger.transfers;
      if (stalest === undefined || this.now() - stalest.movedAt < this.limits.staleMs) return false;
      stalest.giveUp();
    }
    return true;
  }
}

/** What one response holds. */
export class Transfer {
  /** When some of it was last accepted. */
  movedAt: number;
  private readonly ledgers: readonly Ledger[];
  private readonly now: () => number;
  private readonly abort: () => void;
  private readonly onEnd: () => void;
  private bytes = 0;
  private pieceBytes = 2 * SMALLEST_PIECE_BYTES;
  private hasEnded = false;

  constructor(ledgers: readonly Ledger[], now: () => number, abort: () => void, onEnd: () => void) {
    this.ledgers = ledgers;
    this.now = now;
    this.abort = abort;
    this.onEnd = onEnd;
    this.movedAt = now();
    for (const { transfers } of ledgers) transfers.add(this);
    this.hold(RESERVED_BYTES);
  }

  /** True when pieces are accepted so quickly that reading the next one meanwhile is worth the memory. */
  get isQuick(): boolean {
    return this.pieceBytes === LARGEST_PIECE_BYTES;
  }

  /** Reserves the memory for the next piece and returns its size; `give` releases it. */
  take(): number {
    let bytes = this.pieceBytes;
    for (const { bytesMax, used } of this.ledgers) {
      while (bytes > SMALLEST_PIECE_BYTES && bytes > (bytesMax - used) / PART_OF_ROOM) bytes /= 2;
    }
    this.hold(bytes);
    return bytes;
  }

  give(bytes: number): void {
    this.hold(-bytes);
  }

  /** Called when a piece was accepted, `ms` after it was offered: the client is there. */
  moved(ms: number): void {
    if (this.hasEnded) return;
    this.movedAt = this.now();
    for (const { transfers } of this.ledgers) {
      transfers.delete(this);
      transfers.add(this);
    }
    if (ms < QUICK_MS) this.pieceBytes = Math.min(LARGEST_PIECE_BYTES, this.pieceBytes * 2);
    else if (ms > SLOW_MS) this.pieceBytes = Math.max(SMALLEST_PIECE_BYTES, this.pieceBytes / 2);
  }

  /** The response is over; what it held is released. */
  end(): void {
    if (this.hasEnded) return;
    this.hold(-this.bytes);
    this.hasEnded = true;
    for (const { transfers } of this.ledgers) transfers.delete(this);
    this.onEnd();
  }

  /** Ends the response itself: others need the room. */
  giveUp(): void {
    this.end();
    this.abort();
  }

  private hold(bytes: number): void {
    // What is released after the end was already freed.
    if (this.hasEnded) return;
    this.bytes += bytes;
    for (const ledger of this.ledgers) ledger.used += bytes;
  }
}
