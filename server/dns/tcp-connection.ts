import type { Socket } from 'node:net';
import type { Responder } from './create-responder.ts';
import type { DnsLimits } from './dns-limits.ts';
import type { DnsLogger } from './ports.ts';

const LENGTH_BYTES = 2;
/** How long a connection waits whose network asks too fast. */
const PACE_MS = 100;

/** What the connections of one listener share. */
export interface TcpConnectionParts {
  readonly responder: Responder;
  readonly limits: DnsLimits;
  readonly logger: DnsLogger;
}

/**
 * One connection: questions arrive one after another and are answered as soon as each answer is known, in any
 * order.
 */
export class TcpConnection {
  private readonly socket: Socket;
  private readonly address: string;
  private readonly responder: Responder;
  private readonly limits: DnsLimits;
  private readonly onQuestion: () => void;
  private readonly logger: DnsLogger;
  private received: Buffer = Buffer.alloc(0);
  private inFlight = 0;
  /** Nothing more is read. */
  private isFinishing = false;
  /** The other side has closed its sending side. */
  private isEnded = false;
  private deadline: NodeJS.Timeout | undefined;
  /** Set while the network of this connection has asked too much to be answered now. */
  private pause: NodeJS.Timeout | undefined;

  constructor(
    socket: Socket,
    { responder, limits, logger }: TcpConnectionParts,
    /** Called for every complete question. */
    onQuestion: () => void,
  ) {
    this.socket = socket;
    this.address = socket.remoteAddress ?? '';
    this.responder = responder;
    this.limits = limits;
    this.logger = logger;
    this.onQuestion = onQuestion;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => this.take(chunk));
    socket.on('end', () => {
      this.isEnded = true;
      this.attempt(() => this.goOn());
    });
    socket.on('drain', () => this.attempt(() => this.goOn()));
    socket.on('close', () => {
      clearTimeout(this.deadline);
      clearTimeout(this.pause);
    });
    this.restartDeadline();
  }

  /** Accepts no more questions and ends once those in flight are answered. */
  finish(): void {
    this.isFinishing = true;
    this.endWhenDone();
  }

  private take(chunk: Buffer): void {
    // Read, so that the system does not withdraw the answers on their way, and not kept.
    if (this.isFinishing) return;
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    this.attempt(() => this.answerReceived());
  }

  /** An unexpected error ends this connection only. */
  private attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.breakOff(error);
    }
  }

  private breakOff(error: unknown): void {
    this.logger.error({ err: error }, 'a DNS connection failed');
    this.socket.destroy();
  }

  private answerReceived(): void {
    while (this.isReading() && this.received.length >= LENGTH_BYTES) {
      const length = this.received.readUInt16BE(0);
      // No question is this long, so the connection is dropped.
      if (length > this.limits.queryBytesMax) {
        this.socket.destroy();
        return;
      }
      if (this.received.length < LENGTH_BYTES + length) break;
      if (!this.responder.admitTcp(this.address)) {
        this.pauseForPace();
        break;
      }
      const message = this.received.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
      this.received = this.received.subarray(LENGTH_BYTES + length);
      this.answer(message);
    }
    if (this.hasRoom()) this.socket.resume();
    else this.socket.pause();
  }

  private answer(message: Buffer): void {
    this.restartDeadline();
    this.onQuestion();
    const answer = this.responder.answerTcp(message, this.address);
    if (answer === null) {
      this.socket.destroy();
      return;
    }
    if (!(answer instanceof Promise)) {
      this.send(answer);
      return;
    }
    this.inFlight += 1;
    answer
      .then((bytes) => {
        this.inFlight -= 1;
        this.send(bytes);
        this.goOn();
      })
      .catch((error: unknown) => this.breakOff(error));
  }

  private send(bytes: Buffer): void {
    if (this.socket.destroyed) return;
    const framed = Buffer.allocUnsafe(LENGTH_BYTES + bytes.length);
    framed.writeUInt16BE(bytes.length, 0);
    bytes.copy(framed, LENGTH_BYTES);
    this.socket.write(framed);
    if (this.socket.bytesWritten >= this.limits.answerBytesPerConnectionMax) this.finish();
  }

  private goOn(): void {
    if (this.socket.destroyed) return;
    this.answerReceived();
    this.endWhenDone();
  }

  /** What is still unread when the other side has ended is an incomplete question, or waits for room. */
  private endWhenDone(): void {
    if ((this.isFinishing || (this.isEnded && this.hasRoom())) && this.inFlight === 0) this.socket.end();
  }

  private isReading(): boolean {
    return !this.isFinishing && !this.socket.destroyed && this.hasRoom();
  }

  private hasRoom(): boolean {
    const isPaused = this.pause !== undefined;
    const { questionsPerConnectionMax } = this.limits;
    return !isPaused && this.inFlight < questionsPerConnectionMax && !this.socket.writableNeedDrain;
  }

  private pauseForPace(): void {
    this.pause = setTimeout(() => {
      this.pause = undefined;
      this.attempt(() => this.goOn());
    }, PACE_MS);
  }

  /**
   * Runs from the last complete question: neither occasional single bytes nor untaken answers keep a
   * connection open.
   */
  private restartDeadline(): void {
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.expire(), this.limits.idleMs);
  }

  /**
   * Ends a connection that may still take its last answers; one that does not is reset, or the system would keep them
   * for minutes.
   */
  private expire(): void {
    if (this.socket.bytesWritten === 0) {
      this.socket.destroy();
    } else if (this.isFinishing) {
      this.socket.resetAndDestroy();
    } else {
      this.finish();
      this.restartDeadline();
    }
  }
}
