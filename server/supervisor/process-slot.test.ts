import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { ProcessSlot } from './process-slot.ts';

/** A process as the supervisor sees it; without an id it could not be started. */
class FakeWorker extends EventEmitter {
  readonly process: { pid: number | undefined; kill(): void; send(): void };
  constructor(pid: number | undefined) {
    super();
    this.process = { pid, kill: () => undefined, send: () => undefined };
  }
  isConnected(): boolean {
    return true;
  }
}

it('a process that cannot be started while the program is being replaced is started again afterwards', async () => {
  const said: unknown[] = [];
  const forked: FakeWorker[] = [];
  const programThere = [true, false, false, true];
  const slot = new ProcessSlot({
    plan: { name: 'edge-1', parts: ['edge'] },
    fork() {
      const isThere = programThere[forked.length] ?? true;
      const worker = new FakeWorker(isThere ? 4_000 + forked.length : undefined);
      forked.push(worker);
      const missing = Object.assign(new Error('spawn node ENOENT'), { code: 'ENOENT' });
      setImmediate(() =>
        isThere ? worker.emit('message', { type: 'ready' }) : worker.emit('error', missing),
      );
      return worker as unknown as Worker;
    },
    log: { info: () => undefined, warn: () => undefined, error: (facts) => said.push(facts) },
    onMessage: () => undefined,
    onGone: () => undefined,
  });
  await slot.start();
  forked[0]?.emit('exit', null, 'SIGKILL');
  await expect.poll(() => slot.isReady, { timeout: 5_000 }).toBe(true);
  expect(forked).toHaveLength(4);
  expect(said.map((facts) => (facts as { reason: unknown }).reason)).toEqual(['SIGKILL', 'ENOENT', 'ENOENT']);
});
