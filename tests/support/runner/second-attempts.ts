import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Prints the tests that passed only on a retry, with the first failure. A retry keeps a busy machine from
 * rejecting a change; each of these is still a race to find, in the test or in the program.
 */
export class SecondAttempts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests('passed')) {
        if (!test.diagnostic()?.flaky) continue;
        const failure = test.result().errors?.[0]?.message.split('\n')[0] ?? 'no message';
        const file = relative(process.cwd(), module.moduleId);
        lines.push(`  ${module.project.name}  ${file} > ${test.fullName}\n      ${failure}`);
      }
    }
    if (lines.length === 0) return;
    process.stdout.write(`\nPassed only at the second attempt, ${lines.length}:\n${lines.join('\n')}\n`);
  }
}
