import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { join } from 'node:path';
import { ALLOCATOR_SETTINGS } from './allocator-settings.ts';
import { waitForPort } from './claim-port.ts';
import type { FromSupervisor, ProcessPlan, StartPlan, ToSupervisor } from './messages.ts';
import { removePidFile, SUPERVISOR_TITLE, writePidFile } from './pid-file.ts';
import { type Fork, ProcessSlot } from './process-slot.ts';
import type { ProgramSignals } from './program-signals.ts';
import { Relay } from './relay.ts';
import { wasReloadedEarly } from './reload-signals.ts';
import { createSupervisorLog, type SupervisorLog } from './supervisor-log.ts';

/** After this, the program ends whatever is still in flight. */
const STOP_DEADLINE_MS = 25_000;

/** How often a file of the supervisor that cannot be written is tried again. */
const RECORD_EVERY_MS = 1_000;

/** In the program's own folder and not writable by others, because its contents are executed. */
const COMPILE_CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'portage');

/**
 * Starts a process for each role and keeps them running. It has no database, no HTTP and no libraries: fewer
 * things can crash it, and with it everything else.
 */
export async function supervise(findProgram: FindProgram, signals: ProgramSignals): Promise<void> {
  process.title = SUPERVISOR_TITLE;
  // Every process accepts connections from one shared queue: a process that is replaced leaves the waiting
  // ones to the others, while separate sockets (SO_REUSEPORT) would reset them, and nothing passes through
  // this process. docs/performance.md
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // A process that finds its predecessor's compiled code starts sooner.
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  const start = await prepareStart(findProgram);
  if (start === null) process.exit(1);
  const supervisor = new Supervisor(start, findProgram);
  signals.handleBy({ stop: () => supervisor.stop(), replaceAll: () => void supervisor.replaceAll() });
  await supervisor.start();
}

/** Which processes to start, and the folder of the program that they run. */
interface PreparedStart {
  plan: StartPlan;
  program: string;
}

/** Returns the folder of the current program; null when it has been reported why there is none. */
type FindProgram = () => Promise<string | null>;

/** Null when a problem has been reported. */
async function prepareStart(findProgram: FindProgram): Promise<PreparedStart | null> {
  const program = await findProgram();
  const plan = program && (await planStart(program));
  return plan ? { plan, program } : null;
}

/**
 * Migrates, creates keys and builds pages in a process that then ends; null when that process has reported a
 * problem.
 */
function planStart(program: string): Promise<StartPlan | null> {
  const child = fork(join(program, 'prepare-start.js'));
  const stop = () => void child.kill('SIGTERM');
  // Before this process handles the signal, which may end it.
  process.prependOnceListener('SIGTERM', stop);
  process.prependOnceListener('SIGINT', stop);
  return new Promise((resolve) => {
    let plan: StartPlan | null = null;
    child.on('message', (message: ToSupervisor) => {
      if (message.type === 'plan') plan = message.plan;
    });
    const end = (result: StartPlan | null | Promise<StartPlan | null>) => {
      process.off('SIGTERM', stop);
      process.off('SIGINT', stop);
      resolve(result);
    };
    child.once('exit', (code, signal) => {
      if (wasReloadedEarly(signal)) end(planStart(program));
      else end(code === 0 ? plan : null);
    });
    // It could not be started, as while its program is being replaced.
    child.once('error', () => end(null));
  });
}

class Supervisor {
  private readonly plan: StartPlan;
  private readonly findProgram: FindProgram;
  private readonly log: SupervisorLog;
  private readonly relay = new Relay();
  private readonly slots: readonly ProcessSlot[];
  private readonly ports = new Map<string, Promise<void>>();
  private isStopping = false;
  /** Whether the file of the supervisor names this process. */
  private isRecorded = false;
  private recording: NodeJS.Timeout | null = null;
  /** The start counts as one: a process that is replaced before it is ready would have failed to start. */
  private replacing: 'no' | 'once' | 'again' = 'once';

  constructor(start: PreparedStart, findProgram: FindProgram) {
    const { plan } = start;
    this.plan = plan;
    this.findProgram = findProgram;
    this.log = createSupervisorLog(plan.logLevel);
    this.slots = plan.processes.map(
      (processPlan) =>
        new ProcessSlot({
          plan: processPlan,
          fork: forkOf(start),
          log: this.log,
          onMessage: (slot, message, reply) => this.take(slot, message, reply),
          onGone: (slot) => this.relay.giveUp(slot),
        }),
    );
    this.relay.connect(this.slots);
  }

  async start(): Promise<void> {
    try {
      await Promise.all(this.slots.map((slot) => slot.start()));
    } catch {
      // The process itself has said why.
      if (!this.isStopping) this.stop({ exitCode: 1 });
      return;
    }
    if (this.isStopping) return;
    this.record();
    if (this.plan.readyMessage !== null) this.log.info({}, this.plan.readyMessage);
    if (this.isAskedAgain()) await this.replaceWhileAsked();
    else this.replacing = 'no';
  }

  /**
   * Replaces every process with one of the current code and the same settings, once all have started. If one does not
   * start, nothing changes.
   */
  async replaceAll(): Promise<void> {
    if (this.replacing === 'no') await this.replaceWhileAsked();
    else this.replacing = 'again';
  }

  private async replaceWhileAsked(): Promise<void> {
    do {
      this.replacing = 'once';
      await this.replaceOnce();
    } while (this.isAskedAgain());
    this.replacing = 'no';
  }

  private isAskedAgain(): boolean {
    return this.replacing === 'again' && !this.isStopping;
  }

  private async replaceOnce(): Promise<void> {
    this.log.info({}, 'replacing every process');
    let reason: unknown;
    // The code may be halfway replaced: files come and go.
    const start = await prepareStart(this.findProgram).catch((error: unknown) => {
      reason = String(error);
      return null;
    });
    if (this.isStopping) return;
    if (start === null) {
      this.log.error({ reason }, 'the new start could not be prepared; everything stays as it is');
      return;
    }
    const fork = forkOf(start);
    for (const slot of this.slots) {
      if (this.isStopping) return;
      try {
        await slot.replace(fork);
      } catch (error) {
        if (this.isStopping) return;
        const reason = error instanceof Error ? error.message : String(error);
        const { name } = slot.plan;
        this.log.error(
          { replaced: name, reason },
          'a new process did not start; the others stay as they are',
        );
        return;
      }
    }
    this.log.info({}, 'every process was replaced');
  }

  /**
   * Lets everything finish and ends; when asked a second time, immediately. The housekeeper ends once the
   * edges have told it everything.
   */
  stop({ exitCode = 0 }: { exitCode?: number } = {}): void {
    if (this.isStopping) {
      for (const slot of this.slots) slot.kill();
      this.end(1);
    }
    this.isStopping = true;
    this.log.info({}, 'stopping: finishing what is in flight');
    setTimeout(() => {
      for (const slot of this.slots) slot.kill();
      this.end(1);
    }, STOP_DEADLINE_MS).unref();
    void this.stopInOrder().then(() => this.end(exitCode));
  }

  private async stopInOrder(): Promise<void> {
    const { slots } = this;
    const isEdge = (slot: ProcessSlot) => slot.plan.parts.includes('edge');
    const isHousekeeper = (slot: ProcessSlot) => slot.plan.parts.includes('housekeeper');
    const others = slots.filter((slot) => !isEdge(slot) && !isHousekeeper(slot)).map((slot) => slot.stop());
    await Promise.all(slots.filter(isEdge).map((slot) => slot.stop()));
    await Promise.all([...others, ...slots.filter(isHousekeeper).map((slot) => slot.stop())]);
  }

  /** Names this process in the file of the supervisor. Sites are served without it, so a start does not fail for it. */
  private record(): void {
    if (this.isStopping || this.isRecorded) return;
    try {
      writePidFile(this.plan.pidFile);
      this.isRecorded = true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (this.recording === null)
        this.log.error(
          { file: this.plan.pidFile, reason },
          'the file of the supervisor cannot be written yet',
        );
      clearTimeout(this.recording ?? undefined);
      this.recording = setTimeout(() => this.record(), RECORD_EVERY_MS).unref();
    }
  }

  private end(exitCode: number): never {
    removePidFile(this.plan.pidFile);
    process.exit(exitCode);
  }

  private take(slot: ProcessSlot, message: ToSupervisor, reply: (message: FromSupervisor) => void): void {
    if (message.type === 'claim') {
      void this.claim(message.claim).then(() => reply({ type: 'claimed', id: message.id }));
    } else if (message.type !== 'plan' && message.type !== 'ready' && message.type !== 'alive') {
      this.relay.take(slot, message, reply);
    }
  }

  /** Several processes share a port: only the first one has to wait for it. */
  private claim({ port, address }: { port: number; address: string | undefined }): Promise<void> {
    const key = `${address ?? ''}:${port}`;
    const claimed =
      this.ports.get(key) ??
      // An earlier supervisor may have been killed: its processes continue until they see the new one.
      waitForPort({ port, address }, () => this.record());
    this.ports.set(key, claimed);
    return claimed;
  }
}

/** A process goes on with the program and the pages of its start, whatever is built meanwhile. */
function forkOf({ plan: { pages }, program }: PreparedStart): Fork {
  return ({ name, parts }: ProcessPlan) => {
    const args = [name, parts.join(','), ...(pages ? [pages] : [])];
    cluster.setupPrimary({ exec: join(program, 'run-process.js'), args });
    const settings = parts.includes('console') ? ALLOCATOR_SETTINGS : {};
    // What the operator has set wins.
    return cluster.fork({ ...settings, ...process.env });
  };
}
