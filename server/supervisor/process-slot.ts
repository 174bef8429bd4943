import type { Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FromSupervisor, ProcessPlan, ProcessStatus, ToSupervisor } from './messages.ts';
import { wasReloadedEarly } from './reload-signals.ts';
import { HUNG_AFTER_SECONDS, ReportWatch } from './report-watch.ts';
import type { SupervisorLog } from './supervisor-log.ts';

/** Starts a process of one program. */
export type Fork = (plan: ProcessPlan) => Worker;

export interface SlotParts {
  plan: ProcessPlan;
  fork: Fork;
  log: SupervisorLog;
  onMessage(slot: ProcessSlot, message: ToSupervisor, reply: (message: FromSupervisor) => void): void;
  onGone(slot: ProcessSlot): void;
}

/**
 * The pause before the second restart in a row; each further pause is twice as long. The first restart is
 * immediate.
 */
const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 30_000;
/** A process that has been ready this long counts as stable. */
const LASTED_MS = 60_000;
/** A replacement that is not ready by then is abandoned. */
const READY_WITHIN_MS = 120_000;
/** How long a replaced process may take to finish what it has in flight. */
const DRAIN_MS = 30_000;
/**
 * How many messages a process may have outstanding; it misses any beyond that. Edges read what they missed
 * from the database.
 */
const UNSENT_MAX = 10_000;

interface Run {
  worker: Worker;
  readyAt: number | null;
  ready: Promise<void>;
  ended: Promise<void>;
  hasEnded: boolean;
  /** The signal or the exit code that it ended with. */
  endedWith: string | number | null;
  /** It is not started again. */
  isRetired: boolean;
  reports: ReportWatch;
}

/** One process of the plan: keeps it running, replaces it, stops it. */
export class ProcessSlot {
  readonly plan: ProcessPlan;
  private readonly parts: SlotParts;
  /** What it is started again with, also when newer code is in place. */
  private fork: Fork;
  private current: Run | null = null;
  private readonly runs = new Set<Run>();
  private failures = 0;
  private starts = 0;
  private hasStarted = false;
  private unsent = 0;
  private isStopping = false;

  constructor(parts: SlotParts) {
    this.parts = parts;
    this.plan = parts.plan;
    this.fork = parts.fork;
  }

  get status(): ProcessStatus {
    return { ...this.plan, isReady: this.isReady, isSilent: this.isSilent, starts: this.starts };
  }

  get isReady(): boolean {
    return this.current !== null && this.current.readyAt !== null && !this.current.hasEnded && !this.isSilent;
  }

  private get isSilent(): boolean {
    return this.current !== null && !this.current.hasEnded && this.current.reports.isSilent;
  }

  /** Starts it for the first time. @throws when it ends before it is ready */
  async start(): Promise<void> {
    let run: Run;
    do {
      run = this.run(this.fork);
      this.current = run;
      await run.ready.catch(() => undefined);
    } while (run.readyAt === null && wasReloadedEarly(run.endedWith) && !this.isStopping);
    await run.ready;
    this.hasStarted = true;
  }

  /**
   * Starts another one alongside and, once that is ready, lets the first finish. From then on it is started
   * again with this program; until then, and when this fails, with the one before.
   * @throws when the new one does not become ready
   */
  async replace(fork: Fork): Promise<void> {
    const earlier = this.current;
    const next = this.run(fork);
    next.isRetired = true;
    const late = sleep(READY_WITHIN_MS, null, { ref: false }).then(() => {
      throw new Error('it was not ready in time');
    });
    try {
      await Promise.race([next.ready, late]);
    } catch (error) {
      next.worker.process.kill('SIGKILL');
      throw error;
    }
    if (next.hasEnded) throw new Error('it ended');
    next.isRetired = this.isStopping;
    // A process that was started meanwhile in place of a dead one goes as well.
    const others = [...this.runs].filter((run) => run !== next);
    this.current = next;
    this.fork = fork;
    for (const run of new Set([...others, ...(earlier ? [earlier] : [])])) await this.retire(run);
  }

  /** Asks it to finish, and resolves when it has ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const run of this.runs) {
      run.isRetired = true;
      askToStop(run);
    }
    await Promise.all([...this.runs].map((run) => run.ended));
  }

  /** Kills it immediately. */
  kill(): void {
    this.isStopping = true;
    for (const run of this.runs) run.worker.process.kill('SIGKILL');
  }

  /** Sends it a message, also while it finishes what it has in flight. */
  tell(message: FromSupervisor): void {
    for (const run of this.runs) if (run.readyAt !== null) this.send(run, message);
  }

  /** Sends a question to the current process; false when there is none. */
  ask(message: FromSupervisor): boolean {
    const run = this.current;
    return run !== null && run.readyAt !== null && this.send(run, message);
  }

  private send(run: Run, message: FromSupervisor): boolean {
    if (run.hasEnded || !run.worker.isConnected() || this.unsent >= UNSENT_MAX) return false;
    this.unsent += 1;
    run.worker.process.send(message, () => {
      this.unsent -= 1;
    });
    return true;
  }

  private async retire(run: Run): Promise<void> {
    run.isRetired = true;
    if (run.hasEnded) return;
    askToStop(run);
    const deadline = setTimeout(() => run.worker.process.kill('SIGKILL'), DRAIN_MS);
    await run.ended;
    clearTimeout(deadline);
  }

  private run(fork: Fork): Run {
    this.starts += 1;
    const worker = fork(this.plan);
    const ready = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    // Not every caller awaits it.
    ready.promise.catch(() => undefined);
    const run: Run = {
      ...{ worker, ready: ready.promise, ended: ended.promise },
      ...{ readyAt: null, hasEnded: false, endedWith: null, isRetired: false },
      reports: new ReportWatch(() => this.endHung(worker)),
    };
    this.runs.add(run);
    worker.on('message', (message: ToSupervisor) => {
      if (message.type === 'ready') {
        run.readyAt = performance.now();
        ready.resolve();
      } else if (message.type === 'alive') run.reports.report();
      else this.parts.onMessage(this, message, (reply) => worker.process.send(reply, () => undefined));
    });
    const end = (reason: string | number | null) => {
      run.hasEnded = true;
      run.endedWith = reason;
      run.reports.end();
      this.runs.delete(run);
      ready.reject(new Error(`it ended with ${reason}`));
      ended.resolve();
      this.parts.onGone(this);
      if (run !== this.current || run.isRetired || this.isStopping) return;
      // The caller of the first start waits for it and decides.
      if (this.hasBeenReady(run)) void this.startAgain(run, reason);
      else if (typeof reason === 'string' && !wasReloadedEarly(reason)) this.reportFailedStart(reason);
    };
    worker.on('error', (error: NodeJS.ErrnoException) => {
      // It could not be started at all, as while its program is being replaced: there will be no exit.
      if (worker.process.pid === undefined) end(error.code ?? error.message);
      // Otherwise a message could not be sent to a process that is ending; its exit follows.
    });
    worker.once('exit', (code: number | null, signal: string | null) => end(signal ?? code));
    return run;
  }

  /** It may hold connections, a lock of the database, and work that no other process takes over. */
  private endHung(worker: Worker): void {
    const facts = { silent: this.plan.name, seconds: HUNG_AFTER_SECONDS };
    this.parts.log.error(facts, 'a process hangs and is killed');
    worker.process.kill('SIGKILL');
  }

  /** A process that ends by itself has said why; one that was killed has not. */
  private reportFailedStart(reason: string): void {
    this.parts.log.error({ ended: this.plan.name, reason }, 'a process ended while it was starting');
  }

  private hasBeenReady(run: Run): boolean {
    return run.readyAt !== null || this.hasStarted;
  }

  private async startAgain(dead: Run, reason: string | number | null): Promise<void> {
    if (dead.readyAt !== null && performance.now() - dead.readyAt >= LASTED_MS) this.failures = 0;
    const pauseMs = this.failures === 0 ? 0 : FIRST_PAUSE_MS * 2 ** (this.failures - 1);
    this.failures += 1;
    const seconds = Math.min(pauseMs, PAUSE_MS_MAX) / 1000;
    this.parts.log.error({ ended: this.plan.name, reason, seconds }, 'a process ended and is started again');
    await sleep(seconds * 1000);
    if (this.isStopping || this.current !== dead) return;
    this.current = this.run(this.fork);
  }
}

/**
 * A signal would not do: a terminal and service managers send theirs to all processes at once, while these
 * end in order. One that has not begun to serve has nothing in flight.
 */
function askToStop({ readyAt, worker }: Run): void {
  const stop: FromSupervisor = { type: 'stop' };
  if (readyAt === null || !worker.isConnected()) worker.process.kill('SIGKILL');
  else worker.process.send(stop, () => undefined);
}
