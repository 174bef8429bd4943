import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Prints the tests that did not run, by names that say what they need: a suite that was left out must not look green. */
export class LeftOutTests implements Reporter {
  private isChosen = false;

  onInit({ config }: Vitest): void {
    // Whoever asks for some tests by name leaves out the others on purpose.
    this.isChosen = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.isChosen) return;
    const lines = modules.flatMap((module) => {
      const file = relative(process.cwd(), module.moduleId);
      return [...module.children.allTests('skipped')].map(
        (test) => `  ${module.project.name}  ${file} > ${test.fullName}`,
      );
    });
    if (lines.length === 0) return;
    process.stdout.write(`\nLEFT OUT, ${lines.length}:\n${lines.join('\n')}\n`);
  }
}
