import { Agent, request } from 'node:http';

/** What was asked of one host. */
export interface Asked {
  /** Requests that were sent. */
  begun: number;
  /** Of these, those whose whole answer arrived. */
  answered: number;
}

/** Visitors who ask again and again, each one request at a time. */
export interface SteadyLoad {
  /** By host, for as long as the load has run. */
  asked: Map<string, Asked>;
  /** From now on they ask for another host. */
  turnTo(host: string): void;
  /** Resolves when the last answer has come, or its connection has broken. */
  stop(): Promise<void>;
}

const VISITORS = 6;
/** Leaves the machine to others in between. */
const PAUSE_MS = 4;

/** Begins to ask an edge; visitors whose connection breaks stop asking it. */
export function startSteadyLoad(ports: readonly number[], firstHost: string): SteadyLoad {
  const agent = new Agent({ keepAlive: true });
  const asked = new Map<string, Asked>();
  let host = firstHost;
  let isStopped = false;
  const visit = async (port: number) => {
    while (!isStopped) {
      const of = asked.get(host) ?? { begun: 0, answered: 0 };
      asked.set(host, of);
      of.begun += 1;
      const isAnswered = await ask(agent, port, host, of.begun % 5 === 0 ? '/none' : '/');
      if (!isAnswered) return;
      of.answered += 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const visitors = ports.flatMap((port) => Array.from({ length: VISITORS }, () => visit(port)));
  return {
    asked,
    turnTo: (next) => {
      host = next;
    },
    async stop() {
      isStopped = true;
      await Promise.all(visitors);
      agent.destroy();
    },
  };
}

/** Resolves with whether the whole answer came. */
function ask(agent: Agent, port: number, host: string, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request({ agent, host: '127.0.0.1', port, path, headers: { host } }, (answer) => {
      answer.on('error', () => resolve(false));
      answer.on('end', () => resolve(answer.complete));
      answer.on('close', () => resolve(false));
      answer.resume();
    });
    sent.on('error', () => resolve(false));
    sent.end();
  });
}
