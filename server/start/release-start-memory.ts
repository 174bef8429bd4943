import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * V8's collector as exposed by `--expose-gc`
 * (https://github.com/v8/v8/blob/main/src/extensions/gc-extension.cc).
 */
type CollectGarbage = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Frees what the start has left behind, about 25 MiB, which an idle process would otherwise keep; and saves
 * compiled code for the next start.
 */
export function releaseStartMemory(): void {
  flushCompileCache();
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as CollectGarbage;
  setFlagsFromString('--no-expose-gc');
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
