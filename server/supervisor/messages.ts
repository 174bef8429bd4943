/**
 * The parts a process can have: the roles of `ROLES`, and what one process of a machine does for all the
 * others.
 */
export type Part = 'console' | 'edge' | 's3' | 'dns' | 'jobs' | 'housekeeper';

/** A process that the supervisor keeps running. */
export interface ProcessPlan {
  /** Unique on the machine, e.g. `edge-2`; included in every line of its log. */
  name: string;
  parts: readonly Part[];
}

/** What the supervisor needs to know, reported by the short process that prepares a start. */
export interface StartPlan {
  processes: readonly ProcessPlan[];
  pidFile: string;
  /** Logged once everything is ready; null without a console. */
  readyMessage: string | null;
  logLevel: string;
  /** The folder of the pages that belong to this start; null without a console. Missing from an older program. */
  pages?: string | null;
}

export interface ProcessStatus extends ProcessPlan {
  /** Whether it is working: ready, and not silent. */
  isReady: boolean;
  /**
   * Whether it hangs: it has reported nothing for a while. Missing from a supervisor whose code is older than
   * this process.
   */
  isSilent?: boolean;
  /** How often it was started, including replacements. */
  starts: number;
}

/** How often a process reports that it does not hang. */
export const REPORT_EVERY_MS = 2_000;

/** A port that a process is about to listen on. */
export interface PortClaim {
  port: number;
  address: string | undefined;
}

/** From a process to the supervisor, which relays `subject` and `body` without looking at them. */
export type ToSupervisor =
  | { type: 'plan'; plan: StartPlan }
  | { type: 'ready' }
  /** Its event loop turns; sent every {@link REPORT_EVERY_MS}. */
  | { type: 'alive' }
  | { type: 'status'; id: number }
  | { type: 'claim'; id: number; claim: PortClaim }
  /** To every other process that has a part. */
  | { type: 'tell'; to: Part; subject: string; body: unknown }
  /** The same, with a response from each. */
  | { type: 'ask'; id: number; to: Part | 'all'; subject: string; body: unknown }
  | { type: 'answer'; id: number; answer: Answer };

/** From the supervisor to a process. */
export type FromSupervisor =
  | { type: 'told'; subject: string; body: unknown }
  | { type: 'asked'; id: number; subject: string; body: unknown }
  /** The processes that will answer a request; the relay answers for one that ends first. */
  | { type: 'asking'; id: number; names: readonly string[] }
  | { type: 'answer'; id: number; from: string; answer: Answer }
  | { type: 'status'; id: number; processes: readonly ProcessStatus[] }
  | { type: 'claimed'; id: number }
  /** Finish what is in flight, then end. */
  | { type: 'stop' };

export type Answer = { body: unknown } | { error: string };
