import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Fork, ProcessSlot } from './process-slot.ts';

/** A process as the supervisor sees it; without an id it could not be started. */
class FakeWorker extends EventEmitter {
  readonly process: { pid: number | undefined; kill(signal: string): void; send(): void };
  constructor(pid: number | undefined) {
    super();
    this.process = { pid, kill: (signal) => this.emit('exit', null, signal), send: () => undefined };
  }
  isConnected(): boolean {
    return true;
  }
}

/** A slot whose processes are ready at once, or cannot be started when the program is not there. */
function makeSlot(programThere: readonly boolean[] = []) {
  const said: { reason?: unknown; silent?: string; seconds: number }[] = [];
  const forked: FakeWorker[] = [];
  const programs: string[] = [];
  /** Starts a process of a program, which is ready at once. */
  const forkOf =
    (program: string): Fork =>
    () => {
      programs.push(program);
      const isThere = programThere[forked.length] ?? true;
      const worker = new FakeWorker(isThere ? 4_000 + forked.length : undefined);
      forked.push(worker);
      const missing = Object.assign(new Error('spawn node ENOENT'), { code: 'ENOENT' });
      setImmediate(() =>
        isThere ? worker.emit('message', { type: 'ready' }) : worker.emit('error', missing),
      );
      return worker as unknown as Worker;
    };
  const slot = new ProcessSlot({
    plan: { name: 'edge-1', parts: ['edge'] },
    fork: forkOf('first'),
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (facts) => said.push(facts as (typeof said)[number]),
    },
    onMessage: () => undefined,
    onGone: () => undefined,
  });
  return { slot, forked, programs, said, forkOf };
}

it('a process that cannot be started while the program is being replaced is started again afterwards', async () => {
  const { slot, forked, said } = makeSlot([true, false, false, true]);
  await slot.start();
  forked[0]?.emit('exit', null, 'SIGKILL');
  await expect.poll(() => slot.isReady, { timeout: 5_000 }).toBe(true);
  expect(forked).toHaveLength(4);
  expect(said.map(({ reason }) => reason)).toEqual(['SIGKILL', 'ENOENT', 'ENOENT']);
});

it('a process that is killed while it starts for the first time fails the start and is named in the log', async () => {
  const { slot, forked, said } = makeSlot();
  const started = slot.start();
  forked[0]?.emit('exit', null, 'SIGKILL');
  await expect(started).rejects.toThrow('it ended with SIGKILL');
  expect(said).toEqual([{ ended: 'edge-1', reason: 'SIGKILL' }]);
});

it('a process that a signal to reload ends before it can ignore it is started again, and the start goes on', async () => {
  const { slot, forked, said } = makeSlot();
  const started = slot.start();
  forked[0]?.emit('exit', null, 'SIGHUP');
  await started;
  expect(slot.isReady).toBe(true);
  expect(forked).toHaveLength(2);
  expect(said).toEqual([]);
});

it('a process that ends again and again is started after ever longer pauses, and at once when it has lasted', async () => {
  const { slot, forked, said } = makeSlot();
  await slot.start();
  const crash = async () => {
    const count = forked.length;
    forked.at(-1)?.emit('exit', 1, null);
    await expect.poll(() => forked.length > count && slot.isReady, { timeout: 10_000 }).toBe(true);
  };
  for (let crashes = 0; crashes < 4; crashes += 1) await crash();
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 120_000);
  onTestFinished(() => clock.mockRestore());
  await crash();
  expect(said.map(({ seconds }) => seconds)).toEqual([0, 0.25, 0.5, 1, 0]);
});

it('a process that hangs is reported as silent, then killed and started again', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { slot, forked, said } = makeSlot();
  await slot.start();
  forked[0]?.emit('message', { type: 'alive' });
  expect(slot.status).toMatchObject({ isReady: true, isSilent: false });
  vi.advanceTimersByTime(30_000);
  expect(slot.status).toMatchObject({ isReady: false, isSilent: true });
  vi.advanceTimersByTime(30_000);
  expect(said).toEqual([
    { silent: 'edge-1', seconds: 60 },
    { ended: 'edge-1', reason: 'SIGKILL', seconds: 0 },
  ]);
  await expect.poll(() => forked.length === 2 && slot.isReady).toBe(true);
  expect(slot.status).toMatchObject({ isReady: true, isSilent: false, starts: 2 });
});

it('a process that ends is started again with the program it ran, also after a replacement that failed', async () => {
  const { slot, forked, programs, forkOf } = makeSlot([true, true, true, false]);
  const crash = async () => {
    const count = forked.length;
    // An exit ends a process once: the last one that could be started is the current one.
    forked
      .filter(({ process }) => process.pid !== undefined)
      .at(-1)
      ?.emit('exit', 1, null);
    await expect.poll(() => forked.length > count && slot.isReady, { timeout: 5_000 }).toBe(true);
  };
  await slot.start();
  // One that was replaced goes away when it is asked to.
  const replaceBy = (program: string) => {
    const replaced = slot.replace(forkOf(program));
    setTimeout(() => forked[0]?.emit('exit', 0, null), 50);
    return replaced;
  };
  await replaceBy('second');
  await crash();
  await expect(slot.replace(forkOf('third'))).rejects.toThrow('it ended with ENOENT');
  await crash();
  expect(programs).toEqual(['first', 'second', 'second', 'third', 'second']);
});
