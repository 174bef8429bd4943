import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  type FromSupervisor,
  type Part,
  type ProcessStatus,
  REPORT_EVERY_MS,
  type ToSupervisor,
} from './messages.ts';
import { readPidFile } from './pid-file.ts';

/** What a sibling answered, or why it did not. */
export interface SiblingAnswer {
  name: string;
  answer: Answer;
}

type Handler = (body: unknown) => unknown;

/**
 * The other processes of this program on this machine. A process with all parts is alone and has none.
 */
export interface Siblings {
  readonly isAlone: boolean;
  /** The name of this process, e.g. `edge-2`. */
  readonly name: string;
  /** Sends a message to every other process that has a part. Delivery is not guaranteed. */
  tell(to: Part, subject: string, body: unknown): void;
  /** Asks every other process that has a part; one that has not answered by then counts as failed. */
  ask(to: Part | 'all', subject: string, body: unknown, withinMs: number): Promise<SiblingAnswer[]>;
  /** Handles messages from others, and answers questions with what the handler returns. */
  on(subject: string, handler: Handler): void;
  /** Every process of the machine, this one included. */
  status(): Promise<readonly ProcessStatus[]>;
  /** Resolves when this process may listen on a port: an earlier run may still be shutting down. */
  claimPort(port: number, address: string | undefined): Promise<void>;
}

/** For one process with all parts. */
export const alone: Siblings = {
  isAlone: true,
  name: 'all',
  tell: () => undefined,
  ask: async () => [],
  on: () => undefined,
  status: async () => [],
  claimPort: async () => undefined,
};

const STATUS_WITHIN_MS = 1_000;
/** After this, the process that wants a port tries it and reports the error itself, as when its supervisor is gone. */
const CLAIM_WITHIN_MS = 60_000;
const ORPHAN_LOOKS_EVERY_MS = 20;
/**
 * How long a process keeps running without a supervisor: a service manager restarts the supervisor sooner.
 */
const ORPHAN_MS = 60_000;

/** The siblings of a process under a supervisor. */
export class SupervisedSiblings implements Siblings {
  readonly isAlone = false;
  readonly name: string;
  private readonly handlers = new Map<string, Handler>();
  private readonly pending = new Map<number, (message: FromSupervisor) => void>();
  private readonly supervisorId = process.ppid;
  private lastId = 0;

  constructor(name: string) {
    this.name = name;
    process.on('message', (message: FromSupervisor) => this.take(message));
    // Without this, node would end the process as soon as its supervisor ends, with everything in flight.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    // From the first moment on: a process can also hang while it starts.
    const report = () => void this.send({ type: 'alive' });
    report();
    setInterval(report, REPORT_EVERY_MS).unref();
  }

  tell(to: Part, subject: string, body: unknown): void {
    this.send({ type: 'tell', to, subject, body });
  }

  async ask(to: Part | 'all', subject: string, body: unknown, withinMs: number): Promise<SiblingAnswer[]> {
    const responses: SiblingAnswer[] = [];
    let names: readonly string[] = [];
    await this.exchange(
      (id) => ({ type: 'ask', id, to, subject, body }),
      (message) => {
        if (message.type === 'asking') names = message.names;
        if (message.type === 'answer') responses.push({ name: message.from, answer: message.answer });
        return responses.length >= names.length;
      },
      withinMs,
    );
    const silent = names.filter((name) => !responses.some((response) => response.name === name));
    return [
      ...responses,
      ...silent.map((name) => ({ name, answer: { error: 'it did not answer in time' } })),
    ];
  }

  on(subject: string, handler: Handler): void {
    this.handlers.set(subject, handler);
  }

  async status(): Promise<readonly ProcessStatus[]> {
    let processes: readonly ProcessStatus[] = [];
    await this.exchange(
      (id) => ({ type: 'status', id }),
      (message) => {
        if (message.type === 'status') processes = message.processes;
        return true;
      },
      STATUS_WITHIN_MS,
    );
    return processes;
  }

  async claimPort(port: number, address: string | undefined): Promise<void> {
    const claim = { port, address };
    await this.exchange(
      (id) => ({ type: 'claim', id, claim }),
      () => true,
      CLAIM_WITHIN_MS,
    );
  }

  /** Resolves when the supervisor asks this process to end. */
  whenAskedToStop(): Promise<void> {
    return new Promise((resolve) => {
      process.on('message', (message: FromSupervisor) => {
        if (message.type === 'stop') resolve();
      });
    });
  }

  /** Resolves when the supervisor has died. */
  whenOrphaned(): Promise<void> {
    return new Promise((resolve) => process.once('disconnect', resolve));
  }

  /** Resolves when another supervisor has replaced the one that died, or none has for a while. */
  async whenReplaced(pidFile: string): Promise<void> {
    const supervisor = this.supervisorId;
    const deadline = performance.now() + ORPHAN_MS;
    while (performance.now() < deadline) {
      const current = readPidFile(pidFile);
      if (current !== null && current !== supervisor) return;
      await sleep(ORPHAN_LOOKS_EVERY_MS);
    }
  }

  /** Reports to the supervisor that this process is ready. */
  announceReady(): void {
    this.send({ type: 'ready' });
  }

  /**
   * Sends a question and passes every message about it to `take`, until that returns true or the time is up.
   */
  private async exchange(
    question: (id: number) => ToSupervisor,
    take: (message: FromSupervisor) => boolean,
    withinMs: number,
  ): Promise<void> {
    this.lastId += 1;
    const id = this.lastId;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
      this.pending.set(id, (message) => {
        if (take(message)) resolve();
      });
      if (!this.send(question(id))) resolve();
    });
    clearTimeout(timer);
    this.pending.delete(id);
  }

  private take(message: FromSupervisor): void {
    if (message.type === 'told') void this.handle(message.subject, message.body);
    else if (message.type === 'asked') {
      const { id } = message;
      void this.handle(message.subject, message.body).then((response) =>
        this.send({ type: 'answer', id, answer: response }),
      );
    } else if (message.type !== 'stop') this.pending.get(message.id)?.(message);
  }

  private async handle(subject: string, body: unknown): Promise<Answer> {
    const handler = this.handlers.get(subject);
    if (handler === undefined) return { error: 'this process does not handle this subject' };
    try {
      return { body: await handler(body) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  private send(message: ToSupervisor): boolean {
    if (!process.connected) return false;
    // It may have died in between; `disconnect` follows.
    process.send?.(message, () => undefined);
    return true;
  }
}
