import type { TestProject } from 'vitest/node';
import { ensureChromium } from './chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    chromiumPath: string;
  }
}

/** Finds or installs the browser once per run. */
export default function setup(project: TestProject): void {
  project.provide('chromiumPath', ensureChromium());
}
