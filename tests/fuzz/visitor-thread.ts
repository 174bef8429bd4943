import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** A visitor on a separate thread, so that an attack in the same process does not delay its clock. */
interface Visit {
  port: number;
  host: string;
  path: string;
}

export interface VisitorReport {
  edgeMs: number[];
  controlMs: number[];
  /** Every response that was not the page, in words. */
  failures: string[];
}

const PAUSE_MS = 20;
const TIMEOUT_MS = 20_000;
const { edge, control } = workerData as { edge: Visit; control: Visit };
const agent = new Agent({ keepAlive: true });
const report: VisitorReport = { edgeMs: [], controlMs: [], failures: [] };
let isStopped = false;
parentPort?.once('message', () => {
  isStopped = true;
});

while (!isStopped) {
  report.edgeMs.push(await visit(edge));
  report.controlMs.push(await visit(control));
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
agent.destroy();
parentPort?.postMessage(report);

/** Sends one request and returns the milliseconds until the last byte. */
function visit({ port, host, path }: Visit): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const done = (failure?: string) => {
      if (failure !== undefined) report.failures.push(`${new Date().toISOString()} ${host}: ${failure}`);
      resolve(performance.now() - startedAt);
    };
    const sent = request(
      { agent, host: '127.0.0.1', port, path, headers: { host }, timeout: TIMEOUT_MS },
      (response) => {
        response.resume();
        response.on('end', () =>
          done(response.statusCode === 200 ? undefined : `status ${response.statusCode}`),
        );
        response.on('error', (error) => done(error.message));
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', (error) => done(error.message));
    sent.end();
  });
}
