import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

/** Prints the slowest files at the end of a run: where the next minute can be saved. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return;
    const timed = modules.map((module) => {
      const { setupDuration, collectDuration, duration } = module.diagnostic();
      return { module, ms: setupDuration + collectDuration + duration };
    });
    timed.sort((a, b) => b.ms - a.ms);
    const lines = timed.slice(0, SHOWN).map(({ module, ms }) => {
      const seconds = (ms / 1000).toFixed(1).padStart(7);
      return `${seconds} s  ${module.project.name.padEnd(10)} ${relative(process.cwd(), module.moduleId)}`;
    });
    process.stdout.write(`\nThe slowest files of ${modules.length}:\n${lines.join('\n')}\n`);
  }
}
