import type { Socket } from 'node:net';
import type { EdgeMeter, EdgeResponseRecord } from './ports.ts';

/** How much of what a connection was handed has been reported to meters. */
export interface SettledBytes {
  /** In terms of `socket.bytesWritten`. */
  settledTo: number;
}

/**
 * Reports to a meter the bytes of one response of an HTTP/1.1 connection, as handed to the operating system:
 * that counts as sent. For a connection that breaks, at most the write in progress is counted without having
 * been sent, and what the system's own buffers held; what waited in this process is not counted. The write in
 * progress is a head and 128 KiB of a body, or the rest of a body in memory whose first 128 KiB the system
 * accepted immediately.
 */
export class ResponseMetering {
  private readonly socket: Socket;
  private readonly meter: EdgeMeter;
  private readonly record: EdgeResponseRecord;
  private readonly settled: SettledBytes;
  private readonly end: number;
  private isCounted = false;

  /**
   * @param settled where the response begins; advanced to what was reported
   * @param bytes of the whole response, when others follow it before it is settled
   */
  constructor(
    socket: Socket,
    meter: EdgeMeter,
    record: EdgeResponseRecord,
    settled: SettledBytes = { settledTo: socket.bytesWritten },
    bytes = Number.POSITIVE_INFINITY,
  ) {
    this.socket = socket;
    this.meter = meter;
    this.record = record;
    this.settled = settled;
    this.end = settled.settledTo + bytes;
  }

  /**
   * Reports what was handed over since the last time, and subtracts what was then waiting and has been
   * dropped.
   */
  settle(): void {
    // Bytes that wait in this process count as written until the connection has closed.
    const { bytesWritten } = this.socket;
    const bytes = Math.min(bytesWritten, this.end) - this.settled.settledTo;
    if (this.isCounted ? bytes === 0 : bytes <= 0) return;
    this.settled.settledTo += bytes;
    if (this.isCounted) this.meter.add(this.record, bytes);
    else this.meter.count(this.record, bytes);
    this.isCounted = true;
  }
}
