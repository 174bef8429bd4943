import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** The variable of the environment that names the file for {@link FailedFiles}. */
export const FAILED_FILES = 'PORTAGE_FAILED_FILES';

/**
 * Writes the files with a failed test, a line each, where whoever started the run can read them. A run with an
 * error outside its tests writes none: nothing says which file that error belongs to.
 */
export class FailedFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const place = process.env[FAILED_FILES];
    if (!place || unhandledErrors.length > 0) return;
    const failed = modules.filter((module) => module.state() === 'failed');
    const files = new Set(failed.map(({ moduleId }) => relative(process.cwd(), moduleId)));
    writeFileSync(place, [...files].join('\n'));
  }
}
