import type { Socket } from 'node:net';
import type { EdgeAnswerRecord, EdgeMeter } from './ports.ts';

/** How much of what a connection was handed has been told to meters. */
export interface SettledBytes {
  /** In the measure of `socket.bytesWritten`. */
  settledTo: number;
}

/**
 * Tells a meter what one answer of an HTTP/1.1 connection takes, by what the operating system was handed: that counts as sent. Of
 * a connection that breaks, at most the write under way is counted and did not leave, and what the system's own buffers held; what
 * waited in this process is not counted. The write under way is a head and 128 KiB of a body, or the rest of a body in memory whose
 * first 128 KiB the system took at once.
 */
export class AnswerAccount {
  private readonly socket: Socket;
  private readonly meter: EdgeMeter;
  private readonly answer: EdgeAnswerRecord;
  private readonly settled: SettledBytes;
  private readonly end: number;
  private isCounted = false;

  /**
   * @param settled where the answer begins; moved on to what was told
   * @param bytes of the whole answer, where others follow it before it is settled
   */
  constructor(
    socket: Socket,
    meter: EdgeMeter,
    answer: EdgeAnswerRecord,
    settled: SettledBytes = { settledTo: socket.bytesWritten },
    bytes = Number.POSITIVE_INFINITY,
  ) {
    this.socket = socket;
    this.meter = meter;
    this.answer = answer;
    this.settled = settled;
    this.end = settled.settledTo + bytes;
  }

  /** Tells what was handed over since the last time, and takes back what then waited and was given up. */
  settle(): void {
    // Bytes that wait in this process are among those written until the connection has closed.
    const { bytesWritten } = this.socket;
    const bytes = Math.min(bytesWritten, this.end) - this.settled.settledTo;
    if (this.isCounted ? bytes === 0 : bytes <= 0) return;
    this.settled.settledTo += bytes;
    if (this.isCounted) this.meter.add(this.answer, bytes);
    else this.meter.count(this.answer, bytes);
    this.isCounted = true;
  }
}
