/** How much answers under way may hold; see `edge-limits.ts`. */
export interface TransferLimits {
  readonly transferBytesMax: number;
  readonly transferBytesPerAddressMax: number;
  readonly transferBytesPerConnectionMax: number;
  /** Where room is wanted, an answer of which nothing was taken for this long makes it. */
  readonly staleMs: number;
}

/** What an answer under way costs beside the bytes that wait: the stream or the connection, its timers and listeners. */
const ownBytes = 16 * 1024;
/** The piece that every answer may hold: room for it is taken with the answer, so nobody who was let in waits for memory. */
export const smallestPieceBytes = 8 * 1024;
/** The largest piece, for clients that take it at once. */
export const largestPieceBytes = 128 * 1024;
const reservedBytes = ownBytes + smallestPieceBytes;
/** One answer may take this part of what is left, so that many who begin at once get something each. */
const partOfRoom = 8;
/** A piece that was taken sooner than this may be followed by a larger one, one that took longer by a smaller one. */
const quickMs = 100;
const slowMs = 1_000;

/** Bytes held under one bound, and by whom: first comes who has taken nothing for the longest time. */
class Ledger {
  readonly bytesMax: number;
  readonly transfers = new Set<Transfer>();
  used = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }
}

/** The answers of one connection. */
export interface TransferConnection {
  /**
   * Lets an answer begin. `abort` ends it when others need its room; it must not throw. Null: there is no room, and nobody
   * who takes nothing.
   */
  begin(address: string, abort: () => void): Transfer | null;
}

/**
 * The memory of answers that clients have not taken yet: one bound for the process, one for each address, one for each connection.
 * Clients that take nothing hold little, and make room for others when it gets tight; those that move are never ended for being slow.
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

  /** To be called once for each connection. */
  connection(): TransferConnection {
    const own = new Ledger(this.limits.transferBytesPerConnectionMax);
    return { begin: (address, abort) => this.begin(own, address, abort) };
  }

  private begin(connection: Ledger, address: string, abort: () => void): Transfer | null {
    const ledgers = [this.all, connection];
    // Behind a proxy that does not tell, everybody would be one visitor.
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
    while (ledger.used + reservedBytes > ledger.bytesMax) {
      const [stalest] = ledger.transfers;
      if (stalest === undefined || this.now() - stalest.movedAt < this.limits.staleMs) return false;
      stalest.giveUp();
    }
    return true;
  }
}

/** What one answer holds. */
export class Transfer {
  /** When something of it was last taken. */
  movedAt: number;
  private readonly ledgers: readonly Ledger[];
  private readonly now: () => number;
  private readonly abort: () => void;
  private readonly onEnd: () => void;
  private bytes = 0;
  private pieceBytes = 2 * smallestPieceBytes;
  private hasEnded = false;

  constructor(ledgers: readonly Ledger[], now: () => number, abort: () => void, onEnd: () => void) {
    this.ledgers = ledgers;
    this.now = now;
    this.abort = abort;
    this.onEnd = onEnd;
    this.movedAt = now();
    for (const { transfers } of ledgers) transfers.add(this);
    this.hold(reservedBytes);
  }

  /** True when pieces are taken so quickly that reading the next one meanwhile is worth the memory. */
  get isQuick(): boolean {
    return this.pieceBytes === largestPieceBytes;
  }

  /** Takes the memory for the next piece and says how large it may be; `give` gives it back. */
  take(): number {
    let bytes = this.pieceBytes;
    for (const { bytesMax, used } of this.ledgers) {
      while (bytes > smallestPieceBytes && bytes > (bytesMax - used) / partOfRoom) bytes /= 2;
    }
    this.hold(bytes);
    return bytes;
  }

  give(bytes: number): void {
    this.hold(-bytes);
  }

  /** A piece was taken, `ms` after it was offered: the client is there. */
  moved(ms: number): void {
    if (this.hasEnded) return;
    this.movedAt = this.now();
    for (const { transfers } of this.ledgers) {
      transfers.delete(this);
      transfers.add(this);
    }
    if (ms < quickMs) this.pieceBytes = Math.min(largestPieceBytes, this.pieceBytes * 2);
    else if (ms > slowMs) this.pieceBytes = Math.max(smallestPieceBytes, this.pieceBytes / 2);
  }

  /** The answer is over; what it held is free. */
  end(): void {
    if (this.hasEnded) return;
    this.hold(-this.bytes);
    this.hasEnded = true;
    for (const { transfers } of this.ledgers) transfers.delete(this);
    this.onEnd();
  }

  /** Ends the answer itself: others need the room. */
  giveUp(): void {
    this.end();
    this.abort();
  }

  private hold(bytes: number): void {
    // What is given back after the end was freed with it.
    if (this.hasEnded) return;
    this.bytes += bytes;
    for (const ledger of this.ledgers) ledger.used += bytes;
  }
}
