import './process-defaults.ts';
import type { Part } from '../supervisor/messages.ts';
import { RELOAD_SIGNALS } from '../supervisor/reload-signals.ts';
import { SupervisedSiblings } from '../supervisor/siblings.ts';
import { gracefulEnd, openProcess, startOrExit } from './process-end.ts';
import { releaseStartMemory } from './release-start-memory.ts';
import { startParts } from './start-parts.ts';
import { pidFileOf } from './start-plan.ts';
import { yieldToVisitors } from './yield-to-visitors.ts';

/** What visitors of sites and buckets wait for. */
const FOR_VISITORS: readonly Part[] = ['edge', 's3', 'dns'];

/** One process of several, started by the supervisor: `run-process NAME PART,PART [PAGES]`. */
async function runProcess(): Promise<void> {
  const [name = '', parts = '', pages = null] = process.argv.slice(2);
  process.title = `portage ${name}`;
  // Terminals and service managers send these to every process; the supervisor decides which ends when.
  for (const signal of ['SIGTERM', 'SIGINT', ...RELOAD_SIGNALS]) process.on(signal, () => undefined);

  // The supervisor passes only valid parts.
  const own = new Set(parts.split(',') as Part[]);
  if (FOR_VISITORS.every((part) => !own.has(part))) yieldToVisitors();
  const { config, logger } = openProcess(name);
  const siblings = new SupervisedSiblings(name);
  await startOrExit(logger, async () => {
    const stop = await startParts(config, logger, { parts: own, siblings, pages });
    const end = gracefulEnd(logger, stop);
    void siblings.whenAskedToStop().then(() => end('the supervisor'));
    void siblings.whenOrphaned().then(async () => {
      logger.error(
        'the supervisor is gone: this process continues until there is another one, at most a minute',
      );
      process.on('SIGTERM', end);
      process.on('SIGINT', end);
      await siblings.whenReplaced(pidFileOf(config));
      end('another supervisor');
    });
    siblings.announceReady();
    releaseStartMemory();
  });
}

await runProcess();
