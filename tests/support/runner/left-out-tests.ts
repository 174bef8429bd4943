import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/**
 * Prints the tests that did not run, by names that say what they need: a suite that was left out must not look
 * green. A test of one database engine has run if it ran on that one.
 */
export class LeftOutTests implements Reporter {
  private isChosen = false;

  onInit({ config }: Vitest): void {
    // Whoever asks for some tests by name leaves out the others on purpose.
    this.isChosen = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.isChosen) return;
    const ran = new Set(
      modules.flatMap((module) => [...namesOf(module, 'passed'), ...namesOf(module, 'failed')]),
    );
    const lines = modules.flatMap((module) =>
      namesOf(module, 'skipped')
        .filter((name) => !ran.has(name))
        .map((name) => `  ${module.project.name}  ${name}`),
    );
    if (lines.length === 0) return;
    process.stdout.write(`\nLEFT OUT, ${lines.length}:\n${lines.join('\n')}\n`);
  }
}

function namesOf(module: TestModule, state: 'passed' | 'failed' | 'skipped'): string[] {
  const file = relative(process.cwd(), module.moduleId);
  return [...module.children.allTests(state)].map(({ fullName }) => `${file} > ${fullName}`);
}
