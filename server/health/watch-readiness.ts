import { Gauge } from 'prom-client';
import type { App } from '../context.ts';
import { type Repetition, repeat } from '../jobs/repeat.ts';
import type { Readiness } from './check-readiness.ts';

const EVERY_MS = 60_000;

/** Results with which a dependency is not up, and what the log says. */
const FAILURES: ReadonlyMap<string, string> = new Map([
  ['failed', 'a dependency of this installation does not respond'],
  ['read_only', 'a dependency of this installation takes no changes'],
]);

/**
 * Checks what `/readyz` checks at the start and every minute: the metrics show the result, and the log says once
 * which dependency does not respond, and once that it responds again.
 */
export function watchReadiness(
  { logger, metrics }: Pick<App, 'logger' | 'metrics'>,
  checkReadiness: () => Promise<Readiness>,
): Repetition {
  const up = new Gauge({
    name: 'portage_dependency_up',
    help: 'Whether what this installation needs answered and took changes when it was last asked, once a minute.',
    labelNames: ['dependency'],
    registers: [metrics],
  });
  let before: Readiness['checks'] = {};
  const look = async () => {
    const { checks } = await checkReadiness();
    for (const [dependency, result] of Object.entries(checks)) {
      up.set({ dependency }, FAILURES.has(result) ? 0 : 1);
      const failure = FAILURES.get(result);
      const failedBefore = FAILURES.get(before[dependency] ?? 'ok');
      if (failure && failure !== failedBefore) logger.warn({ dependency }, failure);
      else if (!failure && failedBefore)
        logger.info({ dependency }, 'a dependency of this installation responds again');
    }
    before = checks;
  };
  return repeat(
    EVERY_MS,
    look,
    (error) => logger.error({ err: error }, 'the check of dependencies failed'),
    0,
  );
}
